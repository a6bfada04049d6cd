# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# numatch run by the sensor numa-hint: the kernel's own sampling shows a ring of threads, numatch alone moves, and no memory
# policy is left.
scan=/sys/kernel/debug/sched/numa_balancing
echo 1 > /proc/sys/kernel/numa_balancing
echo 10 > $scan/scan_delay_ms
echo 10 > $scan/scan_period_min_ms
echo 100 > $scan/scan_period_max_ms

processors() { cat "/proc/$program"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
well_placed() {
  locate_ring
  located private_local 95 && located accessed_local 90 && located together 50
}

start_ring --cpus scrambled --touch main --random-creation --private-pages 32 --shared-pages 6 --compute 500
program=$(sed -n 's/^process //p' "$ring")
processors > "$OUT/processors"
numatch run -p "$program" --sensor numa-hint --budget 20 --cached 0 --log "$OUT/run.jsonl" > "$OUT/run" &
run=$!
check "neighbours are together and pages local" becomes 400 well_placed
grep -E '^(thread|private_local|accessed_local|together)' "$OUT/places"
cat "$OUT/run.jsonl"
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run"
same "all threads may run where they could before" "$(cat "$OUT/processors")" "$(processors)"
same "no memory policy is left" 0 "$(marks_in "$program")"
end_ring
