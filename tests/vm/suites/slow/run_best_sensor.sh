# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# numatch run works with the sensor that is best on this kernel, and leaves no memory policy behind.

# until_so COMMAND...: waits for it; a slow machine may take long.
until_so() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || return 1
    sleep 1
  done
}

pages_local() {
  ask_ring
  ring_places "$ring" > "$OUT/places"
  awk '$1 == "private_local" {local = $2 / $4 >= 0.95} END {exit !local}' "$OUT/places"
}

echo 0 > /proc/sys/kernel/numa_balancing
start_ring --pattern pairs --cpus kept --touch main --private-pages 16 --shared-pages 8 --compute 500
program=$(sed -n 's/^process //p' "$ring")
refuse "all pages are on node 0 at first" pages_local
echo 1 > /proc/sys/kernel/numa_balancing
# Balancing takes its samples more often than by itself, so that the test is short.
[ -d /sys/kernel/debug/sched ] || mount -t debugfs none /sys/kernel/debug
periods=/sys/kernel/debug/sched/numa_balancing
echo 100 > "$periods/scan_delay_ms"
echo 100 > "$periods/scan_period_min_ms"
echo 500 > "$periods/scan_period_max_ms"
numatch run -p "$program" --cached 0 --log "$OUT/run.jsonl" > "$OUT/run" &
run=$!
check "private pages come to their users, whose affinity is their own" until_so pages_local
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run.jsonl" "$OUT/run"
same "no memory policy is left" 0 "$(grep -cE 'bind|prefer|local' "/proc/$program/numa_maps")"
end_ring
