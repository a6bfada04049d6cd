# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# numatch run leaves alone what it cannot help, and a kill of numatch leaves nothing behind.
echo 0 > /proc/sys/kernel/numa_balancing

processors() { cat "/proc/$program"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
decisions() { grep -c '"what"' "$1"; }
decided() { [ -s "$1" ] && [ "$(decisions "$1")" -ge "$2" ]; }
moved() { grep -qs '"what":"moved"' "$1"; }
often() { decided "$1" 12; } # a placement proves itself on 4 to 16 of them
would_move() { grep -qs '"what":"would move"' "$1"; }

# managed NAME STATE OPTION...: until its log is in this state; then it ends.
managed() {
  name=$1
  state=$2
  shift 2
  numatch run -p "$program" --sensor soft-dirty --budget 20 --log "$OUT/$name.jsonl" "$@" > "$OUT/$name" &
  run=$!
  check "$name: its log says what it should" becomes 200 "$state" "$OUT/$name.jsonl"
  kill -TERM "$run"
  wait "$run"
  same "$name: numatch run ends well" 0 "$?"
}

start_ring --cpus scrambled --touch main --private-pages 24 --shared-pages 0 --compute 500
program=$(sed -n 's/^process //p' "$ring")
managed in-caches often --cached 1000000
refuse "what is in caches is left alone" moved "$OUT/in-caches.jsonl"
managed dry-run would_move --cached 0 --dry-run
locate_ring
same "and moves no page" 0 "$(grep '^region' "$OUT/places" | grep -cv ' 0=24$')"

processors > "$OUT/processors"
numatch run -p "$program" --sensor soft-dirty --budget 20 --cached 0 --log "$OUT/killed.jsonl" > "$OUT/killed" &
run=$!
becomes 100 moved "$OUT/killed.jsonl"
check "it has moved something" moved "$OUT/killed.jsonl"
refuse "threads are bound" test "$(cat "$OUT/processors")" = "$(processors)"
kill -KILL "$run"
becomes 100 [ ! -d "/proc/$run" ]
restored() { [ "$(cat "$OUT/processors")" = "$(processors)" ]; }
check "after a kill all threads may run where they could before" becomes 100 restored
end_ring
