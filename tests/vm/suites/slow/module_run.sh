# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# KERNELS 6.1 6.12
# MODULE yes
# LIMIT 600
# numatch run by itself with what the kernel module sees: a ring of threads comes together and its pages to where they are used;
# affinities are put back and nothing of the module's is left.
echo 0 > /proc/sys/kernel/numa_balancing # nobody else moves anything

processors() { cat "/proc/$program"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
well_placed() {
  locate_ring
  located private_local 95 && located accessed_local 90 && located together 50
}

check "the module loads" insmod /modules/numatch.ko
start_ring --cpus scrambled --touch main --random-creation --private-pages 32 --shared-pages 6 --compute 500
program=$(sed -n 's/^process //p' "$ring")
processors > "$OUT/processors"
numatch run -p "$program" --sensor module --budget 20 --cached 0 --log "$OUT/run.jsonl" > "$OUT/run" &
run=$!
becomes 240 well_placed
grep -E '^(thread|private_local|accessed_local|together)' "$OUT/places"
cat "$OUT/run.jsonl"
check "95 % of the private pages are local to their users" located private_local 95
check "90 % of all accessed pages are local to their main users" located accessed_local 90
check "neighbours are together wherever the topology allows" located together 50
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run"
check "it was the module that saw" grep -q 'sampled by module' "$OUT/run"
same "all threads may run where they could before" "$(cat "$OUT/processors")" "$(processors)"
same "no memory policy is left" 0 "$(marks_in "$program")"
end_ring
check "nothing of the session is left" becomes 60 nothing_lives
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
