# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# numatch run puts a ring of threads together and its pages where they are used, puts affinities back, however it
# ends, and leaves alone what it cannot help.
echo 0 > /proc/sys/kernel/numa_balancing # nobody else moves anything
# processors: how many threads of the program may run where; policies: its memory that has one.
processors() { cat "/proc/$program"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
policies() { grep -cE 'bind|prefer|local' "/proc/$program/numa_maps"; }

well_placed() {
  locate_ring
  located private_local 95 && located accessed_local 90 && located together 50
}

start_ring --cpus scrambled --touch main --random-creation --private-pages 32 --shared-pages 6 --compute 500
program=$(sed -n 's/^process //p' "$ring")
processors > "$OUT/processors"
numatch run -p "$program" --sensor soft-dirty --budget 20 --cached 0 --log "$OUT/run.jsonl" --metrics "$OUT/run.prom" > "$OUT/run" &
run=$!
becomes 120 well_placed
grep -E '^(thread|private_local|accessed_local|together)' "$OUT/places"
cat "$OUT/run.jsonl"
check "95 % of the private pages are local to their users" located private_local 95
check "90 % of all accessed pages are local to their main users" located accessed_local 90
check "neighbours are together wherever the topology allows" located together 50
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run"
same "all threads may run where they could before" "$(cat "$OUT/processors")" "$(processors)"
same "no memory policy is left" 0 "$(policies)"
check "the log says what was moved" grep -q '"what":"moved"' "$OUT/run.jsonl"
check "the metrics say it, too" grep -q '^numatch_decisions_total{what="moved"} [1-9]' "$OUT/run.prom"
end_ring
