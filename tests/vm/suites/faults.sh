# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The software event page-faults tells an ordinary user which thread faulted at which byte, on stock
# kernels, once the administrator allows it.

echo 2 > /proc/sys/kernel/perf_event_paranoid
check "with perf_event_paranoid=2 a user sees each fault with its thread and byte" \
  as_user fault_check
echo 3 > /proc/sys/kernel/perf_event_paranoid
refuse "with 3, Debian's own value, a user sees none" as_user fault_check
check "root sees them anyway" fault_check
