// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace numatch::sim::ref {

/// When one thing (a link, a bank, a bus) is busy: intervals that do not overlap.
class calendar {
 public:
  /// Takes the first `length` free cycles in a row that begin at `from` or later, also between two
  /// intervals that are taken already. Returns the first of them. No length takes nothing and
  /// begins at `from`.
  std::uint64_t reserve(std::uint64_t from, std::uint64_t length) {
    if (length == 0) return from;
    std::uint64_t start = from;
    auto next = taken_.upper_bound(from);
    if (next != taken_.begin()) start = std::max(start, std::prev(next)->second);
    for (; next != taken_.end() && next->first < start + length; ++next) start = next->second;
    taken_[start] = start + length;
    return start;
  }

  /// begin -> end, ascending.
  const std::map<std::uint64_t, std::uint64_t>& taken() const { return taken_; }

 private:
  std::map<std::uint64_t, std::uint64_t> taken_;
};

}  // namespace numatch::sim::ref
