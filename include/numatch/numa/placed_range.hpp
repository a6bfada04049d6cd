// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numatch/numa/memory.hpp"
#include "numatch/numa/runtime.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Contiguous memory whose blocks are on different nodes: block b ends before byte ends[b] and is
/// on node b. A page with a border in it belongs to the block that it begins in.
class placed_range {
 public:
  /// As many bytes as the last end says.
  placed_range(const runtime& nodes, std::span<const std::size_t> ends);
  ~placed_range();
  placed_range(const placed_range&) = delete;
  placed_range& operator=(const placed_range&) = delete;

  /// The first byte.
  std::byte* data() { return data_; }
  /// The same.
  const std::byte* data() const { return data_; }
  /// Where the pages of a block are.
  placement where(std::size_t block) const;

 private:
  std::vector<std::size_t> ends_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace numa_v1
}  // namespace numatch
