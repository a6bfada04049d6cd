# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE yes
# Random calls of the module's device by several processes and threads, with bad pointers, sizes and flags, while
# what is observed forks, executes and is killed. suites/nightly/module_fuzz_long.sh does so for 10 minutes.

check "the module loads" insmod /modules/numatch.ko
check "random calls, each of which has worked at times too" module_fuzz --seconds 15 --seed 1
cat /tmp/check.out
check "nothing of the sessions is left" becomes 60 nothing_lives
until rmmod numatch 2> /dev/null; do sleep 0.1; done
refuse "the module is unloaded" test -e /dev/numatch
