# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# numatch run --system: finds the programs that its configuration names, one of them in a PID namespace and a control
# group as in a container, does nothing until it is told to, and leaves nothing behind.
echo 0 > /proc/sys/kernel/numa_balancing # nobody else moves anything
mkdir -p "$OUT/groups"
mount -t cgroup2 groups "$OUT/groups"
mkdir -p "$OUT/groups/containers/one"

processors() { cat "/proc/$1"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
as_before() { [ "$(cat "$OUT/processors.$1")" = "$(processors "$1")" ]; }
said() { grep -qE "$1" "$OUT/service"; }

settings() {
  cat << TOML
interval_seconds = 0.5
metrics = ":9464"
$1
[[program]]
name = "ring"
executable = "ring_program"
cgroup = "/"
user = "tester"
least_cpu_seconds = 0
sensor = "soft-dirty"
budget = 20
cached = 0

[[program]]
name = "container"
cgroup = "/containers/*"
least_cpu_seconds = 0
sensor = "soft-dirty"
budget = 20
cached = 0
TOML
}

# One program of a user, and one of root that numbers its processes itself.
ring=/tmp/ring
as_user ring_program --cpus scrambled --touch main --private-pages 32 --shared-pages 6 --compute 500 --report "$ring" &
# shellcheck disable=SC2034  # ring_wait looks at it
ring_job=$!
ring_wait
free=$(sed -n 's/^process //p' "$ring")
# shellcheck disable=SC2016  # the inner shell expands them
sh -c 'echo $$ > "$0/containers/one/cgroup.procs"; exec unshare -p -f ring_program --cpus scrambled --touch main \
  --private-pages 32 --shared-pages 6 --compute 500 --report "$1"' "$OUT/groups" "$OUT/inner" &
job=$!
until [ -s "$OUT/inner" ]; do sleep 0.1; done
held=$(pidof ring_program | tr ' ' '\n' | grep -vx "$free")
check "the program has a number of its own in its PID namespace" grep -q '^process 1$' "$OUT/inner"
for program in "$free" "$held"; do processors "$program" > "$OUT/processors.$program"; done

settings "" > "$OUT/service.toml"
numatch run --system --config "$OUT/service.toml" --check > "$OUT/check"
check "a check names the first" grep -q "^ring\[$free\]: /bin/ring_program" "$OUT/check"
check "a check names the second" grep -q "^container\[$held\]: /bin/ring_program" "$OUT/check"
same "nothing else is ready" 2 "$(grep 'of processor time' "$OUT/check" | grep -vc 'not yet$')"

numatch run --system --config "$OUT/service.toml" > "$OUT/service" 2>&1 &
service=$!
check "the first is watched" becomes 60 said "^ring\[$free\]: .*nothing is moved"
check "the second is watched, with both its numbers" becomes 60 said "^container\[$held\]: .*\(1 in its own PID namespace\)"
check "it says what it would do for the first" becomes 200 said "^ring\[$free\]: would move [1-9]"
check "it says what it would do for the second" becomes 200 said "^container\[$held\]: would move [1-9]"
for program in "$free" "$held"; do check "no thread of $program is bound" as_before "$program"; done
metrics() { wget -q -O "$OUT/metrics" http://127.0.0.1:9464/metrics && grep -q "$1" "$OUT/metrics"; }
check "the metrics are those of both" becomes 60 metrics '^numatch_managed_programs 2$'
check "each with its name" metrics "program=\"container\",process=\"$held\",what=\"would move\"} [1-9]"

settings "enabled = maybe" > "$OUT/service.toml"
kill -HUP "$service"
check "a bad configuration is one line" becomes 60 said 'service.toml:3: .*what was read before stays'
settings "enabled = true" > "$OUT/service.toml"
kill -HUP "$service"
check "the first is managed" becomes 60 said "^ring\[$free\]: .*: managed$"
check "the second is managed" becomes 60 said "^container\[$held\]: .*: managed$"
check "something of the first is moved" becomes 200 said "^ring\[$free\]: moved [1-9]"
check "something of the second is moved" becomes 200 said "^container\[$held\]: moved [1-9]"

# Whoever manages one program is killed: the other one's goes on.
one=$(ps -o pid,args | awk -v of="--pid $held " 'index($0, of) && !/awk/ {print $1; exit}')
check "each program has a process that manages it" [ -n "$one" ]
kill -KILL "$one"
check "the service says so" becomes 60 said "^container\[$held\]: managing ended with 137"
check "threads are free after that" becomes 60 as_before "$held"
refuse "those of the other one are not" as_before "$free"

kill -TERM "$service"
wait "$service"
same "the service ends well" 0 "$?"
cat "$OUT/service"
check "all threads may run where they could before" becomes 60 as_before "$free"
end_ring
kill -TERM "$held"
wait "$job"
same "the program in its namespace ends well" 0 "$?"
same "each byte that its threads wrote is right" "sums right" "$(tail -n 1 "$OUT/inner")"
umount "$OUT/groups"
