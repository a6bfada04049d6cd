# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# MACHINE 4x1
# KERNELS 6.1 6.12
# MODULE yes
# Parts of huge pages, and shared memory.
# Nothing here waits for a time, so it is as slow as the host.

check "the module loads" insmod /modules/numatch.ko
start_ring --pattern ring --private-pages 24 --shared-pages 16 --huge
check "parts of huge pages: 3 of 3 sessions are exact" view_check --rounds 3 "$ring"
end_ring
start_ring --pattern ring --memory memfd --private-pages 24 --shared-pages 16
check "shared memory: 3 of 3 sessions are exact" view_check --rounds 3 "$ring"
end_ring
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "the module is unloaded" test -e /dev/numatch
