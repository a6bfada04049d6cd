// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/placed_range.hpp"

#include <algorithm>
#include <new>

#include "kernel_memory.hpp"

namespace numatch {
inline namespace numa_v1 {

placed_range::placed_range(const runtime& nodes, std::span<const std::size_t> ends)
    : ends_(ends.begin(), ends.end()),
      bytes_(std::max(round_up(ends_.back(), page_bytes()), page_bytes())) {
  const memory_options& rules = nodes.memory_rules();
  data_ =
      map_pages(bytes_, rules.pages == page_kind::base ? page_kind::base : page_kind::transparent);
  if (data_ == nullptr) throw std::bad_alloc();
  std::size_t first = 0;
  for (std::size_t block = 0; block < ends_.size(); ++block) {
    const std::size_t end = std::max(first, round_up(ends_[block], page_bytes()));
    // Where the kernel refuses, the owners touch their elements first, which mostly does the same.
    if (end > first)
      place_on(nodes.machine(), block, data_ + first, end - first, rules.rule, false);
    first = end;
  }
}

placed_range::~placed_range() {
  unmap_pages(data_, bytes_);
}

placement placed_range::where(std::size_t block) const {
  const std::size_t first = block == 0 ? 0 : ends_[block - 1];
  return placement_of({data_ + first, ends_[block] - first});
}

}  // namespace numa_v1
}  // namespace numatch
