# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# KERNELS 6.1 6.12
# MODULE yes
# LIMIT 400
# MVAS's policy decides on live Linux, with what each thread's view shows. With more threads than processors it
# leaves threads alone, so the ring has six; a seventh waits for them.
echo 0 > /proc/sys/kernel/numa_balancing # nobody else moves anything

pairs_at_home() { locate_ring && located together 100 && located private_local 95; }

# manage OPTION...: numatch run, in the background.
manage() {
  numatch run -p "$(sed -n 's/^process //p' "$ring")" --sensor module --log "$OUT/run.jsonl" "$@" > "$OUT/run" &
  run=$!
}
end_managing() {
  grep -E '^(private_local|accessed_local|together)' "$OUT/places"
  kill -TERM "$run"
  wait "$run"
  same "numatch run ends well" 0 "$?"
  cat "$OUT/run"
  check "it was the module that saw" grep -q 'sampled by module' "$OUT/run"
}

check "the module loads" insmod /modules/numatch.ko

start_ring --pattern pairs --threads 6 --cpus scrambled --touch main --random-creation --private-pages 32 --shared-pages 32 \
  --compute 200
manage --mechanism mvas --param activation-period=4000 --param trace-period=1500
becomes 200 pairs_at_home
check "MVAS puts all pairs together" located together 100
check "MVAS moves private pages to their users" located private_local 95
end_managing
end_ring

until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
