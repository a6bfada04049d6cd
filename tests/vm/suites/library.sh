# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016  # awk expands
# MACHINE 4x2
# What the C++ library builds on a node is there, stays there and is worked on there: four nodes.

# built_and_moved WHAT OPTION...: library_parts, looked at from outside after building and after rebalance().
built_and_moved() {
  case_of=$1
  shift
  mkdir -p "$OUT/$case_of"
  library_parts "$@" --look ring_places "$OUT/$case_of" > "$OUT/$case_of/said"
  same "$case_of: the program ends well" 0 $?
  for step in built moved; do
    same "$case_of, $step: move_pages finds every page on its node" \
      "$(sort "$OUT/$case_of/$step.owners")" \
      "$(sed -n 's/^\(region .*\)=[0-9]*$/\1/p' "$OUT/$case_of/$step.places" | sort)"
    check "$case_of, $step: so says placement()" \
      grep -qE "^$step: [1-9][0-9]* bytes at home, 0 elsewhere, 0 unknown\$" "$OUT/$case_of/said"
    # Two CPUs per node: those of node n are 2n and 2n + 1.
    check "$case_of, $step: every piece of work ran on its owner's CPUs" \
      awk '{n += 1} int($6 / 2) != $4 {wrong = 1} END {exit wrong || n < 8}' "$OUT/$case_of/$step.cpus"
    # An arena binds a thread only while it is inside.
    [ "$case_of" = arenas ] || check "$case_of, $step: whoever worked may run on the CPUs of one node alone" \
      awk '$1 == "thread" {n += 1; split($5, cpus, "-"); if (cpus[1] != 2 * $4 || cpus[2] != 2 * $4 + 1) wrong = 1}
        END {exit wrong || n < 3}' "$OUT/$case_of/$step.places"
  done
  check "$case_of: pointers and contents stay" grep -qx "contents right" "$OUT/$case_of/said"
}

built_and_moved pool
check "the library says what it found" grep -qx "this machine: 4 nodes" "$OUT/pool/said"
built_and_moved arenas --run-by arenas

echo always > /sys/kernel/mm/transparent_hugepage/enabled
before=$(awk '/^thp_fault_alloc / {print $2}' /proc/vmstat)
built_and_moved transparent --pages transparent --mib 3
after=$(awk '/^thp_fault_alloc / {print $2}' /proc/vmstat)
check "the kernel did join pages for it" [ "$after" -gt "$before" ]

# Twice what the parts need, because a page is copied before the old one is free.
for node in 0 1 2 3; do
  echo 24 > "/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages"
done
built_and_moved huge --pages huge --mib 5
for node in 0 1 2 3; do
  same "node $node has all its reserved pages back" 24 \
    "$(cat "/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/free_hugepages")"
  echo 0 > "/sys/devices/system/node/node$node/hugepages/hugepages-2048kB/nr_hugepages"
done
built_and_moved no-huge-pages-left --pages huge --mib 3

# Reserved pages take the memory of node 1 away, but for less than a part.
echo 1000 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages
free=$(awk '$3 == "MemFree:" {print $4}' /sys/devices/system/node/node1/meminfo)
check "node 1 is nearly full" [ "$free" -lt 40000 ]
mkdir -p "$OUT/full"
check "a full node ends nobody" sh -c "library_parts --parts 4 --mib 40 --look ring_places $OUT/full > $OUT/full/said"
check "its neighbours serve, and placement() says so" \
  grep -qE '^built: [1-9][0-9]* bytes at home, [1-9][0-9]* elsewhere, 0 unknown$' "$OUT/full/said"
same "the parts of the other nodes are where they should be" "$(printf 'region %s\n' '0 0' '2 2' '3 3')" \
  "$(sed -n 's/^\(region [023] .*\)=[0-9]*$/\1/p' "$OUT/full/built.places" | sort)"
check "no content is lost" grep -qx "contents right" "$OUT/full/said"
echo 0 > /sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages

# Without its processors node 3 is memory alone.
echo 0 > /sys/devices/system/cpu/cpu6/online
echo 0 > /sys/devices/system/cpu/cpu7/online
built_and_moved node-without-cpus
check "the library says that it left the node out" \
  grep -qx "this machine: 3 nodes, 1 left out because no usable processor is on it" \
  "$OUT/node-without-cpus/said"
echo 1 > /sys/devices/system/cpu/cpu6/online
echo 1 > /sys/devices/system/cpu/cpu7/online
