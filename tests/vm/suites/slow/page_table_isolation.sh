# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# APPEND pti=on
# The kernel with page table isolation (KPTI), which gives each address space two page tables.

check "page table isolation is on" grep -q 'Mitigation: PTI' /sys/devices/system/cpu/vulnerabilities/meltdown
check "ring_program finds its sums right" ring_program --accesses 1000 --private-pages 16 \
  --shared-pages 16
echo 2 > /proc/sys/kernel/perf_event_paranoid
check "a user sees each fault with its thread and byte" as_user fault_check
