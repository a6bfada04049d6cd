// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_table.hpp"

namespace numatch::sim {

/// Where a page lies.
struct page_entry {
  std::uint32_t node = 0;
  std::uint32_t frame =
      0;  ///< number within the node, in the order in which the node got its pages
  bool mapped = false;
  bool taken = false;       ///< the next use faults although the page is mapped
  bool replicated = false;  ///< every node has a copy
};

/// Page → node, changed at run time. Reading from several threads is safe while nobody changes it.
class page_table {
 public:
  explicit page_table(unsigned nodes) : next_frame_(nodes, 0) {}

  /// Null for a page that was never used, or has been unmapped.
  const page_entry* find(std::uint64_t page) const {
    const page_entry* found = pages_.find(page);
    return found != nullptr && found->mapped ? found : nullptr;
  }
  page_entry* find(std::uint64_t page) {
    page_entry* found = pages_.find(page);
    return found != nullptr && found->mapped ? found : nullptr;
  }

  page_entry& map(std::uint64_t page, unsigned node) {
    page_entry& entry = pages_[page];
    entry = {node, next_frame_[node]++, true, false, false};
    return entry;
  }
  void move(page_entry& entry, unsigned node) {
    entry.node = node;
    entry.frame = next_frame_[node]++;
  }
  void unmap(std::uint64_t page) {
    page_entry* entry = pages_.find(page);
    if (entry != nullptr) entry->mapped = false;
  }

 private:
  flat_table<page_entry> pages_;
  std::vector<std::uint32_t> next_frame_;
};

}  // namespace numatch::sim
