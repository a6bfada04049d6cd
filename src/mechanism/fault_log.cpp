// SPDX-License-Identifier: Apache-2.0
#include "mechanism/fault_log.hpp"

#include <algorithm>

namespace numatch {

void fault_log::begin_activation() {
  if (activations_.size() == kept_) activations_.pop_front();
  activations_.emplace_back();
}

void fault_log::end_activation() {
  std::vector<fault>& last = activations_.back();
  std::sort(last.begin(), last.end());
  last.erase(std::unique(last.begin(), last.end()), last.end());
}

fault_log::page_tuples fault_log::tuples() const {
  std::vector<fault> all;
  for (const std::vector<fault>& faults : activations_) {
    all.insert(all.end(), faults.begin(), faults.end());
  }
  std::sort(all.begin(), all.end());
  page_tuples made;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool same_page = i > 0 && all[i].page == all[i - 1].page;
    if (same_page && all[i].thread == all[i - 1].thread) {
      ++made.counts.back().count;
      continue;
    }
    if (!same_page) made.pages.push_back({all[i].page, made.counts.size(), 0});
    made.counts.push_back({all[i].thread.value, 1});
    ++made.pages.back().size;
  }
  return made;
}

}  // namespace numatch
