# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x2
# KERNELS 6.12 7.2 7.3
# The sensor wp sees a ring of threads as it is: every use is of a page that its thread uses, no page
# changes its node meanwhile, and afterwards nothing is armed.

# Else the kernel moves pages, whoever watches.
echo 0 > /proc/sys/kernel/numa_balancing
check "all pairs are seen, for all are written, and none is wrong" sense_ring wp 100 60
