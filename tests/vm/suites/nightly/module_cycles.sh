# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE yes
# LIMIT 2400
# A thousand sessions, one after the other, of a program that is busy changing its page tables.

check "the module loads" insmod /modules/numatch.ko
memory_stress > "$OUT/stress" &
stress=$!
until grep -qs running "$OUT/stress"; do sleep 0.1; done
# Little memory for each: the kernel clears all of it, which an emulated processor does slowly.
check "1000 sessions, after each of which the module holds nothing" \
  view_hold --cycles 1000 --pause 0 --views 8 --threads 64 --table-pages 128 "$stress"
cat /tmp/check.out
kill -TERM "$stress"
check "every byte is right" wait "$stress"
check "nothing of the sessions is left" becomes 60 nothing_lives
until rmmod numatch 2> /dev/null; do sleep 0.1; done
refuse "the module is unloaded" test -e /dev/numatch
