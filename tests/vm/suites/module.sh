# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154  # $ring comes from ring.sh
# KERNELS 6.1 6.12
# MODULE yes
# The kernel module: loading, who may use it, and that a view per thread sees each thread with each of its
# pages, and no other.

as_user_opens() {
  as_user sh -c ': < /dev/numatch'
}

check "it loads" insmod /modules/numatch.ko
check "its device is there" test -c /dev/numatch
refuse "a user without rights may not open it" as_user_opens
check "its device answers as its header says" module_interface
start_ring --pattern pairs --private-pages 24 --shared-pages 16
check "a view per thread sees all pairs of a ring of pairs, none wrong" view_check "$ring"
end_ring
until rmmod numatch 2> /dev/null; do sleep 0.1; done # threads that slept must have run
refuse "it is unloaded" test -e /dev/numatch
