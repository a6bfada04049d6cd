# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# APPEND pti=on
# The kernel with page table isolation (KPTI), which gives each address space two page tables.

# This processor does not need it, so /sys/devices/system/cpu/vulnerabilities/meltdown says "Not affected".
dmesg > "$OUT/dmesg"
check "page table isolation is on" \
  grep -qF 'Kernel/User page tables isolation: enabled' "$OUT/dmesg"
check "ring_program finds its sums right" ring_program --accesses 1000 --private-pages 16 \
  --shared-pages 16
echo 2 > /proc/sys/kernel/perf_event_paranoid
check "a user sees each fault with its thread and byte" as_user fault_check
