# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# APPEND pti=on
# MODULE yes
# Page table isolation: each view has two page tables.
# Nothing here waits for a time, so it is as slow as the host.

check "the module loads" insmod /modules/numatch.ko
start_ring --pattern all --private-pages 24 --shared-pages 6
check "pages shared by all: 4 of 4 sessions are exact" view_check --rounds 4 "$ring"
check "one view with zaps sees no wrong pair" view_check --mode single --zap-share 10 "$ring"
end_ring
start_ring --pattern pairs --private-pages 24 --shared-pages 16
check "pages shared by pairs: 4 of 4 sessions are exact" view_check --rounds 4 "$ring"
end_ring
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
