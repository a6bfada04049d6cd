# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# KERNELS 6.1 6.12
# APPEND pti=on
# MODULE yes
# The same as module_views under page table isolation: two page tables per view.

check "the module loads" insmod /modules/numatch.ko
start_ring --pattern all --private-pages 24 --shared-pages 6
check "pages shared by all: 20 of 20 sessions are exact" view_check --rounds 20 "$ring"
check "one view with zaps sees no wrong pair" view_check --mode single --zap-share 10 "$ring"
end_ring
start_ring --pattern pairs --private-pages 24 --shared-pages 16
check "pages shared by pairs: 20 of 20 sessions are exact" view_check --rounds 20 "$ring"
end_ring
start_ring --pattern ring --memory memfd --private-pages 24 --shared-pages 16
check "shared memory: 5 of 5 sessions are exact" view_check --rounds 5 "$ring"
end_ring
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
