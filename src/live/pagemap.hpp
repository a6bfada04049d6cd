// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/owned_fd.hpp"

namespace numatch::live {

/// Neighbouring present pages of the same kind.
struct present_pages {
  std::uint64_t first = 0;  ///< byte address
  std::uint64_t end = 0;
  bool huge = false;  ///< mapped by one entry for 2 MiB or more
  std::uint64_t pages() const;
};

/// /proc/PID/pagemap of a process, asked with PAGEMAP_SCAN (Linux 6.7). It stays with the memory
/// that the process had when it was opened: after an exec it finds nothing.
class pagemap {
 public:
  static result<pagemap> open(const observed_process& process);

  /// What is present in a range; pages that were never touched or are swapped out are not.
  std::vector<present_pages> present(std::uint64_t first, std::uint64_t end) const;
  /// Write-protects present pages that are not huge, where a userfaultfd with WP_ASYNC is
  /// registered; says which.
  std::vector<present_pages> write_protect(std::uint64_t first, std::uint64_t end) const;

 private:
  struct filter {
    std::uint64_t flags = 0;
    std::uint64_t inverted = 0;
    std::uint64_t mask = 0;
  };
  explicit pagemap(owned_fd file) : file_(std::move(file)) {}
  std::vector<present_pages> scan(std::uint64_t first, std::uint64_t end,
                                  const filter& wanted) const;
  owned_fd file_;
};

}  // namespace numatch::live
