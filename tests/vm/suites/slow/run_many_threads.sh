# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# A program of 256 threads takes no harm from being managed. It is nice: else 32 threads that compute on each processor
# would leave numatch and this script next to nothing of it.
echo 0 > /proc/sys/kernel/numa_balancing

processors() { cat "/proc/$program"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
decided() { [ "$(grep -cs '"what"' "$OUT/run.jsonl")" -ge "$1" ]; }

# shellcheck disable=SC2016  # the shell that becomes the program expands it
start_ring sh -c 'renice -n 19 -p $$; exec "$@"' -- ring_program --threads 256 --cpus scrambled --touch main \
  --random-creation --private-pages 1 --shared-pages 1 --compute 500
program=$(sed -n 's/^process //p' "$ring")
processors > "$OUT/processors"
same "all its threads are there" 257 "$(find "/proc/$program/task" -mindepth 1 -maxdepth 1 | wc -l)"
numatch run -p "$program" --sensor soft-dirty --budget 20 --cached 0 --log "$OUT/run.jsonl" > "$OUT/run" &
run=$!
check "decisions are made" becomes 300 decided 4
check "on uses that were seen" grep -q '"uses":[1-9]' "$OUT/run.jsonl"
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run.jsonl" "$OUT/run"
same "all threads may run where they could before" "$(cat "$OUT/processors")" "$(processors)"
run_ring_until 20
end_ring
