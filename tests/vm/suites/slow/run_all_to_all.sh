# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 900
# numatch run leaves a program alone whose threads all use all pages, though here few of them run at a time and each has
# all pages for a while.
echo 0 > /proc/sys/kernel/numa_balancing

processors() { cat "/proc/$program"/task/*/status | grep Cpus_allowed_list | sort | uniq -c; }
# decided NAME COUNT: so many decisions for which enough was seen; the log says on how many uses each rests.
decided() {
  awk -F'"uses":' -v least="$2" '{split($2, rest, ","); if (rest[1] >= 100) ++n} END {exit n < least}' "$OUT/$1.jsonl"
}
# managed NAME OPTION...: until it has decided often.
managed() {
  name=$1
  shift
  numatch run -p "$program" --sensor soft-dirty --budget 20 --log "$OUT/$name.jsonl" "$@" > "$OUT/$name" &
  run=$!
  becomes 100 [ -s "$OUT/$name.jsonl" ]
  check "$name: it decides again and again" becomes 400 decided "$name" 25
  processors > "$OUT/$name.processors"
  kill -TERM "$run"
  wait "$run"
  same "$name: numatch run ends well" 0 "$?"
  cat "$OUT/$name"
  refuse "$name: no thread is sent to another node" grep -E '"what":"moved".*"threads":[1-9]' "$OUT/$name.jsonl"
  locate_ring
  check "$name: it is known where pages are" grep -q '^region' "$OUT/places"
  same "$name: all pages that the threads share are on node 0, where they were touched" 0 \
    "$(grep '^region' "$OUT/places" | grep -vcE ' 0=[0-9]+$')"
}

start_ring --pattern all --cpus scrambled --touch main --private-pages 0 --shared-pages 6 --compute 500
program=$(sed -n 's/^process //p' "$ring")
processors > "$OUT/processors"
managed in-caches --cached 1000000
same "no thread is bound" "$(cat "$OUT/processors")" "$(cat "$OUT/in-caches.processors")"
refuse "nothing is moved" grep '"what":"moved"' "$OUT/in-caches.jsonl"
# What each thread has for itself, its stack and its notes, is a quarter of what is seen to be used here: it may be brought
# to its thread.
managed not-in-caches --cached 0
end_ring
