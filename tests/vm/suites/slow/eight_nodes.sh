# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 8x1
# Eight nodes with one processor each.

echo 0 > /proc/sys/kernel/numa_balancing # the kernel must not move pages meanwhile
numatch topology > "$OUT/topology.txt"
check "numatch topology sees 8 nodes" grep -qF "live: 8 NUMA nodes, 8 PUs" "$OUT/topology.txt"
same "the nodes stand in a ring" "10 20 30 40 50 40 30 20" \
  "$(cat /sys/devices/system/node/node0/distance)"

start_ring --cpus kept --random-creation --private-pages 64 --shared-pages 64
run_ring_until 1000
ring_places "$ring" > "$OUT/places"
check "pages are local to the threads that touch them first" \
  grep -q '^private_local 512 of 512' "$OUT/places"
check "partners have a node each" grep -q '^together 0 of 8$' "$OUT/places"
end_ring
