# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2154  # quotes: for the programs that are run; $ring comes from ring.sh
# What looks and measures on several nodes: doctor, show, compare.

balancing() { cat /proc/sys/kernel/numa_balancing; }
balancing_is() { [ "$(balancing)" = "$1" ]; }

numatch doctor > "$OUT/doctor" || true
check "doctor lists every node" \
  [ "$(grep -cE '^[0-3] +[0-9.]+ [KMG]iB +[0-9]-[0-9]$' "$OUT/doctor")" = 4 ]
check "doctor reads NUMA Balancing" grep -q "NUMA Balancing: on ($(balancing))" "$OUT/doctor"
as_user numatch doctor > "$OUT/doctor-user" || true
check "doctor tells a user which rights are missing" \
  grep -q 'user 1000, without CAP_SYS_PTRACE' "$OUT/doctor-user"

# Each run writes down how it was started: balancing, its processors, whether its pages interleave.
cat > started <<'END'
read -r balancing < /proc/sys/kernel/numa_balancing
while read -r key value; do [ "$key" = Cpus_allowed_list: ] && cpus=$value; done < /proc/$$/status
pages=first-touch
while read -r line; do case $line in *interleave:0-3*) pages=interleave ;; esac; done < /proc/$$/numa_maps
echo "$balancing $cpus $pages" >> "$1"
END
echo 1 > /proc/sys/kernel/numa_balancing
numatch -q compare -n 2 --json -- sh started "$OUT/runs" > "$OUT/compare.json"
same "root compares all methods" 0 "$?"
check "nothing is left out on four nodes" grep -q '"left_out": \[\]' "$OUT/compare.json"
same "every method ran twice, and the default once before" 17 "$(wc -l < "$OUT/runs")"
same "interleave puts the pages on all nodes" 2 "$(grep -c '^1 0-7 interleave$' "$OUT/runs")"
same "random, compact and scatter bind the thread" 6 \
  "$(grep -cE '^1 [0-7] first-touch$' "$OUT/runs")"
same "no-numa-balancing switches it off for its runs alone" 2 "$(grep -c '^0 0-7 ' "$OUT/runs")"
same "the default, numatch and numa-balancing have it on" 7 "$(grep -c '^1 0-7 first-touch$' "$OUT/runs")"
same "compare puts NUMA Balancing back" 1 "$(balancing)"

# Waits only where NUMA Balancing is off.
numatch -q compare -n 2 --only no-numa-balancing -- \
  sh -c 'read -r on < /proc/sys/kernel/numa_balancing; [ "$on" = 1 ] || sleep 1000' 2> "$OUT/note" &
compare=$!
check "a run without NUMA Balancing is under way" becomes 120 balancing_is 0
kill -9 "$compare"
check "it is put back when compare is killed" becomes 120 balancing_is 1
as_user numatch -q compare -n 2 --json -- true > "$OUT/compare-user.json"
same "a user compares" 0 "$?"
check "and is told why NUMA Balancing is left out" \
  grep -q 'may not change kernel.numa_balancing' "$OUT/compare-user.json"

start_ring --touch main --private-pages 256 --shared-pages 64
program=$(sed -n 's/^process //p' "$ring")
numatch show -p "$program" > "$OUT/show"
same "show knows all nine threads" 9 "$(grep -cE '^ +[0-9]+  [^ ]+ +[RSD] ' "$OUT/show")"
check "and that the memory is on node 0" grep -qE '^0 +[0-9]+ +1?[0-9.]+ MiB' "$OUT/show"
refuse "another user is told that he may not look" as_user numatch show -p "$program"
end_ring
