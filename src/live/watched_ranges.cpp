// SPDX-License-Identifier: Apache-2.0
#include "live/watched_ranges.hpp"

#include <algorithm>
#include <tuple>

namespace numatch::live {

namespace {

bool same(const mapped_range& a, const mapped_range& b) {
  const auto all = [](const mapped_range& r) {
    return std::tie(r.first, r.end, r.readable, r.writable, r.executable, r.shared, r.offset,
                    r.device, r.inode, r.name);
  };
  return all(a) == all(b);
}

/// Pages that the kernel lends to every process.
bool is_of_the_kernel(const mapped_range& range) {
  return range.name.starts_with("[v");
}

}  // namespace

bool watched_ranges::is_watched(const mapped_range& range) const {
  if (is_of_the_kernel(range)) return false;
  return range.writable || (!writes_only_ && range.readable && !range.executable);
}

bool watched_ranges::update(std::vector<mapped_range> mappings) {
  if (std::equal(mappings.begin(), mappings.end(), now_.begin(), now_.end(), same)) return false;
  now_ = std::move(mappings);
  watched_.clear();
  for (const mapped_range& range : now_) {
    if (is_watched(range)) watched_.push_back(range);
    remember(range);
  }
  return true;
}

const mapped_range* watched_ranges::at(std::uint64_t address) const {
  const auto after =
      std::upper_bound(now_.begin(), now_.end(), address,
                       [](std::uint64_t a, const mapped_range& range) { return a < range.first; });
  if (after == now_.begin()) return nullptr;
  const mapped_range& range = *std::prev(after);
  return address < range.end ? &range : nullptr;
}

std::vector<page_run> watched_ranges::watched_pages() const {
  std::vector<page_run> runs;
  for (const mapped_range& range : watched_) {
    runs.push_back({page_number(range.first / sensed_page_bytes),
                    (range.end - range.first) / sensed_page_bytes});
  }
  return runs;
}

void watched_ranges::remember(const mapped_range& range) {
  auto old = history_.lower_bound(range.first);
  if (old != history_.begin() && std::prev(old)->second.end > range.first) --old;
  while (old != history_.end() && old->second.first < range.end) {
    const mapped_range before = old->second;
    old = history_.erase(old);
    if (before.first < range.first) {
      mapped_range head = before;
      head.end = range.first;
      history_.emplace(head.first, head);
    }
    if (before.end > range.end) {
      mapped_range tail = before;
      tail.first = range.end;
      history_.emplace(tail.first, tail);
    }
  }
  history_.emplace(range.first, range);
}

}  // namespace numatch::live
