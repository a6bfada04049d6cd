# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016,SC2154  # awk expands; $ring comes from ring.sh
# MACHINE 4x2
# LIMIT 1500
# Programs that do what makes watching hard are watched with each sensor: nothing in them fails, what they wrote is
# right, and nothing stays behind.

sensors=$(working_sensors)
check "there is a sensor" [ -n "$sensors" ]

# watched SENTENCE SENSOR OPTION...: until it has made all that it makes, and 300 accesses in each thread.
watched() {
  watched_sentence="$2 watches $1"
  watched_sensor=$2
  shift 2
  start_ring --private-pages 16 --shared-pages 16 "$@"
  watched_pid=$(sed -n 's/^process //p' "$ring")
  numatch profile -p "$watched_pid" --sensor "$watched_sensor" --budget 20 -o "$OUT/watched.nmp" > "$OUT/said" 2>&1 &
  watched_job=$!
  until_it_senses "$watched_job"
  # What it does while it is watched counts, too.
  sleep 2
  run_ring_until 300
  until [ "$(made_in_all)" -ge "$to_make" ]; do
    sleep 0.5
    ask_ring
  done
  kill -TERM "$watched_job"
  wait "$watched_job"
  same "$watched_sentence" 0 $?
  [ "$to_make" = 0 ] || same "all that it made went well" \
    "made 1000 short threads, 50 forks, 10 execs, 0 failed" "$(grep '^made' "$ring")"
  wait_until_clean "$watched_pid"
  same "nothing is left in it" "0 0" "$(marks_in "$watched_pid") $(armed_pages "$watched_pid" "$ring")"
  end_ring
}

# Short threads, forks, execs, and those that failed.
made_in_all() {
  awk '$1 == "made" {made = $2 + $5 + $7 + $9} END {print made + 0}' "$ring"
}

to_make=0
for sensor in $sensors; do
  watched "locked pages" "$sensor" --lock
  watched "huge pages" "$sensor" --huge
  watched "a shared file" "$sensor" --file /dev/shm/pages
  watched "a program with its own affinity" "$sensor" --cpus kept
done
to_make=1060
for sensor in $sensors; do
  watched "1,000 short threads, forks and execs" "$sensor" --short-threads 1000 --forks 50 --execs 10
done
