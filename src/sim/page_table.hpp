// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_table.hpp"
#include "sim/frame_order.hpp"

namespace numatch::sim {

/// Where a page lies.
struct page_entry {
  std::uint32_t node = 0;
  std::uint32_t frame = 0;  ///< number within the node
  bool mapped = false;
  bool taken = false;       ///< the next use faults although the page is mapped
  bool replicated = false;  ///< every node has a copy
};

/// Page → node, changed at run time. Reading from several threads is safe while nobody changes it.
class page_table {
 public:
  explicit page_table(unsigned nodes) : next_frame_(nodes, 0) {}
  /// Frames are drawn; else a node gives them out in their order.
  void draw_frames(std::uint64_t seed) {
    drawn_ = true;
    seed_ = seed;
  }

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
    entry = {node, next_frame(node), true, false, false};
    return entry;
  }
  void move(page_entry& entry, unsigned node) {
    entry.node = node;
    entry.frame = next_frame(node);
  }
  void unmap(std::uint64_t page) {
    page_entry* entry = pages_.find(page);
    if (entry != nullptr) entry->mapped = false;
  }

  /// The page table finds the frame of `page`, which is mapped, under another number.
  void rename(std::uint64_t page, std::uint64_t number) {
    const page_entry moved = *find(page);
    unmap(page);
    pages_[number] = moved;
  }

 private:
  std::uint32_t next_frame(unsigned node) {
    const std::uint32_t number = next_frame_[node]++;
    return drawn_ ? drawn_frame(number, seed_ + node) : number;
  }

  flat_table<page_entry> pages_;
  std::vector<std::uint32_t> next_frame_;  ///< [node]: given out so far
  bool drawn_ = false;
  std::uint64_t seed_ = 1;
};

}  // namespace numatch::sim
