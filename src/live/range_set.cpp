// SPDX-License-Identifier: Apache-2.0
#include "live/range_set.hpp"

#include <algorithm>

namespace numatch::live {

namespace {

using position = std::vector<byte_range>::const_iterator;

/// The first range that ends after `address`.
position first_beyond(const std::vector<byte_range>& ranges, std::uint64_t address) {
  return std::upper_bound(
      ranges.begin(), ranges.end(), address,
      [](std::uint64_t wanted, const byte_range& known) { return wanted < known.end; });
}

}  // namespace

void range_set::add(byte_range more) {
  if (more.first >= more.end) return;
  const position from = std::lower_bound(
      ranges_.cbegin(), ranges_.cend(), more.first,
      [](const byte_range& known, std::uint64_t wanted) { return known.end < wanted; });
  position to = from;
  for (; to != ranges_.cend() && to->first <= more.end; ++to) {
    more.first = std::min(more.first, to->first);
    more.end = std::max(more.end, to->end);
  }
  ranges_.insert(ranges_.erase(from, to), more);
}

std::vector<byte_range> range_set::parts_of(byte_range asked) const {
  std::vector<byte_range> parts;
  for (position at = first_beyond(ranges_, asked.first);
       at != ranges_.end() && at->first < asked.end; ++at) {
    parts.push_back({std::max(asked.first, at->first), std::min(asked.end, at->end)});
  }
  return parts;
}

std::vector<byte_range> range_set::gaps_in(byte_range asked) const {
  std::vector<byte_range> gaps;
  std::uint64_t from = asked.first;
  for (const byte_range& part : parts_of(asked)) {
    if (from < part.first) gaps.push_back({from, part.first});
    from = part.end;
  }
  if (from < asked.end) gaps.push_back({from, asked.end});
  return gaps;
}

}  // namespace numatch::live
