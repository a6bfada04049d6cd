// SPDX-License-Identifier: Apache-2.0
#include "sim/page_table.hpp"

#include <algorithm>

namespace numatch::sim {

std::vector<std::uint64_t> page_table::sorted() const {
  std::vector<std::uint64_t> pages;
  pages.reserve(mapped_);
  pages_.for_each([&](std::uint64_t page, const page_entry& entry) {
    if (entry.mapped) pages.push_back(page);
  });
  std::sort(pages.begin(), pages.end());
  return pages;
}

}  // namespace numatch::sim
