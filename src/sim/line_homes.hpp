// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/machine_config.hpp"
#include "sim/page_table.hpp"

namespace numatch::sim {

/// Where a line lies in memory.
struct line_home {
  std::uint64_t line = 0;  ///< within the node
  std::uint32_t node = 0;
};

/// Finds lines' homes. Safe to use from several threads while nobody changes the page table, which
/// must live longer.
class line_homes {
 public:
  line_homes(const machine_config& config, const page_table& pages)
      : pages_(pages),
        page_shift_(static_cast<unsigned>(std::countr_zero(config.page_bytes / config.line_bytes))),
        node_of_chip_(config.chips()) {
    // A chip is at the node of its first PU.
    for (std::size_t pu = config.pus(); pu-- > 0;) {
      node_of_chip_[config.caches.back().shared.group[pu]] = config.node_of_pu[pu];
    }
  }

  /// Where a line lies for a chip: a replicated page at the chip's own node. Lines that no page
  /// table knows lie on node 0.
  line_home find(std::uint64_t line, unsigned chip) const {
    const page_entry* const page = pages_.find(line >> page_shift_);
    if (page == nullptr) return {line, 0};
    const std::uint64_t in_page = line & ((std::uint64_t{1} << page_shift_) - 1);
    return {(std::uint64_t{page->frame} << page_shift_) + in_page,
            page->replicated ? node_of_chip_[chip] : page->node};
  }
  unsigned node_of_chip(unsigned chip) const { return node_of_chip_[chip]; }
  /// Lines per page, as a shift.
  unsigned page_shift() const { return page_shift_; }

 private:
  const page_table& pages_;
  unsigned page_shift_;
  std::vector<std::uint32_t> node_of_chip_;
};

}  // namespace numatch::sim
