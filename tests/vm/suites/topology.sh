# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x2
# numatch sees the nodes of this machine, their processors and their distances as they are.

numatch topology > "$OUT/topology.txt"
check "numatch topology sees 4 nodes and 8 processing units" \
  grep -qF "live: 4 NUMA nodes, 8 PUs" "$OUT/topology.txt"

# The lines after "node distances": a row per node, whose first word is the node.
numatch_distances=$(awk '/^node distances/ {found = 1; next}
  found && NF == 5 {print $2, $3, $4, $5}' "$OUT/topology.txt")
same "its distances are those of the firmware" \
  "$(cat /sys/devices/system/node/node[0-3]/distance)" "$numatch_distances"
same "the nodes stand in a ring" "10 20 30 20" "$(cat /sys/devices/system/node/node0/distance)"

for node in 0 1 2 3; do
  same "node $node has the CPUs that it was given" "$((2 * node))-$((2 * node + 1))" \
    "$(cat /sys/devices/system/node/node$node/cpulist)"
  memory=$(awk '$3 == "MemTotal:" {print $4}' /sys/devices/system/node/node$node/meminfo)
  check "node $node has memory of its own, in KiB" test "$memory" -gt 300000
done

numatch topology --json > "$OUT/topology.json"
same "the JSON has each processing unit" 8 "$(grep -c '"pu": [0-9]' "$OUT/topology.json")"
