// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/flat_table.hpp"

namespace numatch::sim {

/// What the chips have of every line, where the tags of their last levels do not say it: those need
/// not hold what the caches above them hold. It is as exact as tags of all caches would be and
/// never full; its memory grows with the lines that were ever used. Not thread safe.
class line_directory {
 public:
  /// What a chip has: 0 for nothing.
  using entry = std::uint64_t;

  explicit line_directory(unsigned chips) : chips_(chips) {}

  /// The entries of all chips, by number; they are valid until the next call.
  entry* of(std::uint64_t line) {
    std::uint32_t& place = place_[line];
    if (place == 0) {
      entries_.resize(entries_.size() + chips_);
      place = static_cast<std::uint32_t>(entries_.size() / chips_);
    }
    return entries_.data() + std::size_t{place - 1} * chips_;
  }

 private:
  unsigned chips_;
  flat_table<std::uint32_t> place_;  ///< 1 + number of the line's group of entries; 0: none
  std::vector<entry> entries_;
};

}  // namespace numatch::sim
