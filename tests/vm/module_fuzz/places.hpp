// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "module_fuzz/random.hpp"

namespace fuzz {

/// Memory for arguments: what may be written, and what may not. Processes that fork have it, too.
class places {
 public:
  places();
  ~places();
  places(const places&) = delete;
  places& operator=(const places&) = delete;

  static constexpr std::size_t good_bytes = std::size_t{64} * 4096;
  char* good() const { return memory_; }
  /// An address where the kernel must not succeed, or only in part: nothing, protected pages, the
  /// last bytes before such a page, its own half. Rarely one where it waits until the process is
  /// killed.
  std::uint64_t bad(random& source) const;

 private:
  char* memory_ = nullptr;  ///< good, then a page that may only be read, then one that may not
  char* awaited_ = nullptr;
  int pager_ = -1;
};

}  // namespace fuzz
