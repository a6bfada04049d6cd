// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/flat_table.hpp"
#include "base/ids.hpp"
#include "mechanism/world.hpp"

namespace numatch {

/// Counters per page, one for every node (or whatever a column stands for).
class page_counters {
 public:
  /// The page's row, all 0 when it is new. `columns` is the same in every call between two clear().
  /// The span is valid until the next call.
  std::span<std::uint32_t> of(page_number page, std::size_t columns) {
    columns_ = columns;
    std::uint32_t& row = row_of_[page.value];
    if (row == 0) {
      cells_.resize(cells_.size() + columns);
      row = static_cast<std::uint32_t>(row_of_.size());
    }
    return std::span(cells_).subspan((row - 1) * columns, columns);
  }

  /// Empty for a page without a row.
  std::span<const std::uint32_t> find(page_number page) const {
    const std::uint32_t* const row = row_of_.find(page.value);
    if (row == nullptr) return {};
    return std::span(cells_).subspan((*row - 1) * columns_, columns_);
  }

  std::size_t size() const { return row_of_.size(); }

  /// By address.
  std::vector<page_number> pages() const {
    std::vector<page_number> all;
    all.reserve(row_of_.size());
    row_of_.for_each([&](std::uint64_t page, std::uint32_t) { all.push_back(page_number(page)); });
    std::sort(all.begin(), all.end());
    return all;
  }

  void clear() {
    row_of_.clear();
    cells_.clear();
  }

 private:
  flat_table<std::uint32_t> row_of_;  ///< 1 + number of the row
  std::vector<std::uint32_t> cells_;
  std::size_t columns_ = 0;
};

/// The node with the highest counter: `present` where it has it too, else the first such node;
/// nullopt when all are 0.
inline std::optional<node_id> busiest_node(std::span<const std::uint32_t> counters,
                                           node_id present) {
  const auto highest = std::max_element(counters.begin(), counters.end());
  if (highest == counters.end() || *highest == 0) return std::nullopt;
  if (counters[present.index()] == *highest) return present;
  return node_id(static_cast<std::uint32_t>(highest - counters.begin()));
}

/// Requests about pages that have no outcome yet.
class pending_pages {
 public:
  void add(ticket request, page_number page) {
    page_of_[request] = page;
    pages_.insert(page);
  }
  bool contains(page_number page) const { return pages_.contains(page); }

  /// The page of a request that now has its outcome; nullopt when the request is not one of these.
  std::optional<page_number> finish(ticket request) {
    const auto found = page_of_.find(request);
    if (found == page_of_.end()) return std::nullopt;
    const page_number page = found->second;
    page_of_.erase(found);
    pages_.erase(page);
    return page;
  }

 private:
  std::map<ticket, page_number> page_of_;
  std::set<page_number> pages_;
};

}  // namespace numatch
