# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# MACHINE 4x2
# The sensor numa-hint sees a ring of threads as it is: every use is of a page that its thread uses, hardly
# a page changes its node meanwhile, and afterwards no policy is left.

echo 1 > /proc/sys/kernel/numa_balancing
# Balancing scans less often the longer it finds pages in their place, which these always are. An administrator
# who wants more samples sets its periods so.
[ -d /sys/kernel/debug/sched ] || mount -t debugfs none /sys/kernel/debug
periods=/sys/kernel/debug/sched/numa_balancing
echo 100 > "$periods/scan_delay_ms"
echo 100 > "$periods/scan_period_min_ms"
echo 500 > "$periods/scan_period_max_ms"
check "80 % of the pairs are seen, and none is wrong" sense_ring numa-hint 80 100
