// SPDX-License-Identifier: Apache-2.0
#include "mechanism/exact_sharing.hpp"

#include <algorithm>

namespace numatch::oracle {

granule_counts& exact_sharing::counts_of(thread_id thread, instant now) {
  const std::uint64_t number = rule_.window == 0 ? 0 : now.nanoseconds / rule_.window;
  window_tables& tables = window_of(number);
  if (thread.index() >= tables.size()) tables.resize(thread.index() + 1);
  std::unique_ptr<granule_counts>& counts = tables[thread.index()];
  if (counts == nullptr) {
    counts = std::make_unique<granule_counts>(rule_.shift);
    note_thread(thread);
  }
  return *counts;
}

/// Threads do not enter a window all at once: it stays open until somebody is two windows further.
/// What comes even later belongs to the oldest open window.
exact_sharing::window_tables& exact_sharing::window_of(std::uint64_t number) {
  number = std::max(number, oldest_open_);
  while (!open_.empty() && open_.begin()->first + 2 <= number) {
    add_window(open_.begin()->second, finished_);
    open_.erase(open_.begin());
  }
  if (number >= 1) oldest_open_ = std::max(oldest_open_, number - 1);
  return open_[number];
}

std::vector<granule_use> exact_sharing::close() {
  std::vector<granule_use> used;
  for (const auto& [number, tables] : open_) {
    const std::vector<granule_use> of_window = add_window(tables, finished_);
    used.insert(used.end(), of_window.begin(), of_window.end());
  }
  open_.clear();
  return used;
}

sharing_matrix exact_sharing::sharing() const {
  event_matrix sums = finished_;
  for (const auto& [number, tables] : open_) add_window(tables, sums);
  return sums.sharing();
}

std::vector<granule_use> exact_sharing::add_window(const window_tables& tables,
                                                   event_matrix& sums) const {
  std::vector<granule_use> uses;
  for (std::uint32_t thread = 0; thread < tables.size(); ++thread) {
    if (tables[thread] == nullptr) continue;
    tables[thread]->for_each([&](std::uint64_t granule, const use_count& use) {
      uses.push_back({granule, thread, use});
    });
  }
  add_pairs(uses, rule_.count, sums);
  return uses;
}

}  // namespace numatch::oracle
