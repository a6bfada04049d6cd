# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x2
# The sensor numa-hint sees a ring of threads as it is: every use is of a page that its thread uses, hardly
# a page changes its node meanwhile, and afterwards no policy is left.

echo 1 > /proc/sys/kernel/numa_balancing
check "80 % of the pairs are seen, and none is wrong" sense_ring numa-hint 80 100
