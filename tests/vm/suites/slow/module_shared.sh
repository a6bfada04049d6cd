# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE yes
# Pages shared by all eight threads, and private ones.
# Nothing here waits for a time, so it is as slow as the host.

check "the module loads" insmod /modules/numatch.ko
start_ring --pattern all --private-pages 24 --shared-pages 6
check "pages shared by all: 10 of 10 sessions are exact" view_check --rounds 10 "$ring"
check "one view with zaps sees no wrong pair" view_check --mode single --zap-share 10 "$ring"
end_ring
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
