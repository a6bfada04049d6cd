# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# KERNELS 7.2
# MODULE yes
# LIMIT 600
# A kernel that the module was not tried on: it refuses, and when it is forced it works as elsewhere.

refuse "it does not load on an untried kernel" insmod /modules/numatch.ko
check "it says why" sh -c "dmesg | grep -q 'numatch: not loaded: .*force=1'"
check "it loads when forced" insmod /modules/numatch.ko force=1
check "its device answers as its header says" module_interface
start_ring --pattern all --private-pages 24 --shared-pages 6
check "pages shared by all: 4 of 4 sessions are exact" view_check --rounds 4 "$ring"
check "one view with zaps sees no wrong pair" view_check --mode single --zap-share 10 "$ring"
end_ring
check "nothing of the sessions is left" becomes 60 nothing_lives
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
