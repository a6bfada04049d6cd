// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/ioctl.h>
#include <linux/userfaultfd.h>

#include <cstdint>

// What newer kernels have and the headers of Debian 12 (Linux 6.1) lack, by our own names.

namespace numatch::live {

/// include/uapi/linux/ptrace.h, Linux 6.4.
inline constexpr int ptrace_get_syscall_user_dispatch_config = 0x4211;
struct syscall_dispatch_config {
  std::uint64_t mode;  ///< 0: off
  std::uint64_t selector;
  std::uint64_t offset;
  std::uint64_t length;
};

/// include/uapi/linux/userfaultfd.h: Linux 6.7 and 7.3.
inline constexpr std::uint64_t uffd_feature_wp_async = 1U << 15;
inline constexpr std::uint64_t uffd_feature_rwp = 1U << 17;
inline constexpr std::uint64_t uffd_feature_rwp_async = 1U << 18;
inline constexpr std::uint64_t uffdio_register_mode_rwp = 1U << 3;
struct uffdio_rwprotect_arguments {
  uffdio_range range;
  std::uint64_t mode;
};
inline constexpr std::uint64_t uffdio_rwprotect_mode_rwp = 1U << 0;
inline constexpr unsigned long uffdio_rwprotect =
    _IOWR(UFFDIO, 0x09, struct uffdio_rwprotect_arguments);

/// include/uapi/linux/fs.h, Linux 6.7.
struct pagemap_scan_arguments {
  std::uint64_t size;
  std::uint64_t flags;
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t walk_end;
  std::uint64_t vec;
  std::uint64_t vec_len;
  std::uint64_t max_pages;
  std::uint64_t category_inverted;
  std::uint64_t category_mask;
  std::uint64_t category_anyof_mask;
  std::uint64_t return_mask;
};
struct pagemap_region {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t categories;
};
inline constexpr unsigned long pagemap_scan = _IOWR('f', 16, struct pagemap_scan_arguments);
inline constexpr std::uint64_t pagemap_scan_wp_matching = 1U << 0;
inline constexpr std::uint64_t page_is_written = 1U << 1;
inline constexpr std::uint64_t page_is_present = 1U << 3;
inline constexpr std::uint64_t page_is_huge = 1U << 6;

}  // namespace numatch::live
