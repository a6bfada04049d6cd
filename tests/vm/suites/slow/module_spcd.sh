# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x2
# KERNELS 6.1 6.12
# MODULE yes
# LIMIT 600
# SPCD's policy decides on live Linux, with the faults that the kernel module induces for it.
echo 0 > /proc/sys/kernel/numa_balancing # nobody else moves anything

half_together() { locate_ring && located together 50; }

check "the module loads" insmod /modules/numatch.ko

start_ring --cpus scrambled --private-pages 8 --shared-pages 1024
numatch run -p "$(sed -n 's/^process //p' "$ring")" --sensor module --mechanism spcd --log "$OUT/run.jsonl" > "$OUT/run" &
run=$!
becomes 200 half_together
check "SPCD puts neighbours together wherever the topology allows" located together 50
grep -E '^(private_local|accessed_local|together)' "$OUT/places"
kill -TERM "$run"
wait "$run"
same "numatch run ends well" 0 "$?"
cat "$OUT/run"
check "it was the module that saw" grep -q 'sampled by module' "$OUT/run"
check "SPCD moves threads" grep -q '"what":"moved"' "$OUT/run.jsonl"
check "SPCD moves no page" grep -q ' 0 pages' "$OUT/run"
end_ring

until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
