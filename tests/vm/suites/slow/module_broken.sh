# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE broken
# What memory_stress would find: with a module that does not follow the kernel's changes, threads go on seeing
# pages that are gone. They only read them, so the kernel stays whole.

# Else the kernel would take pages away that the program still writes to.
echo 0 > /proc/sys/kernel/numa_balancing
echo never > /sys/kernel/mm/transparent_hugepage/enabled

discards() {
  rm -f "$OUT/stress"
  memory_stress --threads 2 --only discard > "$OUT/stress" &
  stress=$!
  until grep -qs running "$OUT/stress"; do sleep 0.1; done
  "$@" "$stress"
  kill -TERM "$stress"
  wait "$stress"
  stressed=$?
  tail -n 1 "$OUT/stress" | cut -c1-200
  return "$stressed"
}

check "nobody observes: discarded pages are gone" discards test -n
check "the broken module loads" insmod /modules/numatch.ko
refuse "it observes: discarded pages are still seen" discards view_hold --pause 1 --until-opened 1000
