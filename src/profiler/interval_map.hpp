// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>

namespace numatch {

/// Half-open range of addresses.
struct address_range {
  std::uint64_t first = 0;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();

  bool holds(std::uint64_t address) const { return address >= first && address < end; }
  void clip(const address_range& other) {
    first = std::max(first, other.first);
    end = std::min(end, other.end);
  }
};

/// What lies at which addresses: ranges that never overlap, each with a value. A look-up or change
/// costs O(log n). Not thread safe.
template <class Value>
class interval_map {
 public:
  struct found {
    const Value* value = nullptr;  ///< null in a gap
    address_range range;           ///< of the interval or of the gap
  };

  found find(std::uint64_t address) const {
    found answer;
    const iterator after = intervals_.upper_bound(address);
    if (after != intervals_.end()) answer.range.end = after->first;
    if (after != intervals_.begin()) {
      const iterator before = std::prev(after);
      if (address < before->second.end) {
        return {&before->second.value, {before->first, before->second.end}};
      }
      answer.range.first = before->second.end;
    }
    return answer;
  }

  /// Replaces whatever lay in the range; an empty range does nothing.
  void assign(const address_range& range, Value value) {
    if (range.first >= range.end) return;
    erase(range);
    intervals_.emplace(range.first, interval{range.end, std::move(value)});
  }

  /// Intervals that reach beyond the range keep what lies outside.
  void erase(const address_range& range) {
    typename std::map<std::uint64_t, interval>::iterator at = intervals_.lower_bound(range.first);
    if (at != intervals_.begin() && std::prev(at)->second.end > range.first) {
      interval& before = std::prev(at)->second;
      if (before.end > range.end) intervals_.emplace(range.end, before);
      before.end = range.first;
    }
    at = intervals_.lower_bound(range.first);
    while (at != intervals_.end() && at->first < range.end) {
      if (at->second.end > range.end) intervals_.emplace(range.end, at->second);
      at = intervals_.erase(at);
    }
  }

  /// Calls visit(range, value) for every part of an interval inside the range.
  template <class Visit>
  void visit(const address_range& range, Visit visit) const {
    iterator at = intervals_.upper_bound(range.first);
    if (at != intervals_.begin()) --at;
    for (; at != intervals_.end() && at->first < range.end; ++at) {
      address_range part{at->first, at->second.end};
      part.clip(range);
      if (part.first < part.end) visit(part, at->second.value);
    }
  }

  std::size_t size() const { return intervals_.size(); }

 private:
  struct interval {
    std::uint64_t end;
    Value value;
  };
  using iterator = typename std::map<std::uint64_t, interval>::const_iterator;
  std::map<std::uint64_t, interval> intervals_;
};

}  // namespace numatch
