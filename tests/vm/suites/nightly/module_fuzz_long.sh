# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE yes
# LIMIT 1200
# Ten minutes of random calls of the module's device.

check "the module loads" insmod /modules/numatch.ko
check "random calls, each of which has worked at times too" module_fuzz --seconds 600 --seed 2
cat /tmp/check.out
check "nothing of the sessions is left" becomes 60 nothing_lives
until rmmod numatch 2> /dev/null; do sleep 0.1; done
refuse "the module is unloaded" test -e /dev/numatch
