# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x2
# KERNELS 7.3
# The sensor rwp sees a ring of threads as it is: every use is of a page that its thread uses, no page
# changes its node meanwhile, and afterwards nothing is armed.

# Else the kernel moves pages, whoever watches.
echo 0 > /proc/sys/kernel/numa_balancing
check "95 % of the pairs are seen, and none is wrong" sense_ring rwp 95 60
