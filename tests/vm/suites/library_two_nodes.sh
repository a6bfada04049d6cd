# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2016  # awk expands
# MACHINE 2x2
# The C++ library on two nodes, for a user without rights, whose process may also be kept to one node.

mkdir -p "$OUT/user" && chmod 1777 "$OUT/user"
check "a user without rights builds and moves" \
  as_user sh -c "library_parts --look ring_places $OUT/user > $OUT/user/said"
for step in built moved; do
  same "$step: move_pages finds every page on its node" "$(sort "$OUT/user/$step.owners")" \
    "$(sed -n 's/^\(region .*\)=[0-9]*$/\1/p' "$OUT/user/$step.places" | sort)"
  check "$step: every piece of work ran on its owner's CPUs" \
    awk '{n += 1} int($6 / 2) != $4 {wrong = 1} END {exit wrong || n < 8}' "$OUT/user/$step.cpus"
done
same "parts take turns on the nodes" "0 1 0 1 0 1 0 1" \
  "$(awk '$2 < 100 {printf "%s%s", sep, $3; sep = " "}' "$OUT/user/built.owners")"
same "and each goes to the other node" "1 0 1 0 1 0 1 0" \
  "$(awk '$2 < 100 {printf "%s%s", sep, $3; sep = " "}' "$OUT/user/moved.owners")"

mkdir -p "$OUT/kept"
taskset c library_parts --look ring_places "$OUT/kept" > "$OUT/kept/said"
same "a process that is kept to one node works there" 0 $?
check "and is told why it sees one node" grep -qx \
  "this machine: 1 node, 1 left out because no usable processor is on it; this process may use the processors of one node only" \
  "$OUT/kept/said"
check "all its memory is there" \
  grep -qE '^built: [1-9][0-9]* bytes at home, 0 elsewhere, 0 unknown$' "$OUT/kept/said"
check "all its work, too" awk '{n += 1} $6 < 2 {wrong = 1} END {exit wrong || n < 8}' "$OUT/kept/built.cpus"
