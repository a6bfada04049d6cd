// SPDX-License-Identifier: Apache-2.0
#include "view_check/sharing.hpp"

#include <fmt/format.h>

sharing_matrix::sharing_matrix(const ring_places::report& threads) {
  for (const auto& [thread, task] : threads.task_of_thread) thread_of_task_[task] = thread;
  for (const ring_places::region& region : threads.regions) {
    for (std::size_t page = 0; page < region.pages; ++page) {
      pages_.insert(region.address + page * 4096);
    }
  }
}

void sharing_matrix::add(const std::vector<numatch_use>& uses) {
  for (const numatch_use& use : uses) {
    const std::uint64_t page = use.address & ~std::uint64_t{4095};
    const auto thread = thread_of_task_.find(use.thread);
    if (thread == thread_of_task_.end() || !pages_.contains(page)) continue;
    for (const unsigned earlier : users_[page]) {
      if (earlier != thread->second) ++increments_[page][{thread->second, earlier}];
    }
    users_[page].insert(thread->second);
  }
}

sharing_matrix::verdict sharing_matrix::judge(const ring_places::report& truth) const {
  verdict found;
  for (const auto& [page, cells] : increments_) {
    const auto users = truth.uses.find(page);
    for (const auto& [pair, count] : cells) {
      found.increments += count;
      const bool right = users != truth.uses.end() && users->second.contains(pair.first) &&
                         users->second.contains(pair.second);
      if (!right) found.wrong += count;
    }
  }
  return found;
}

std::string sharing_matrix::text() const {
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> sums;
  for (const auto& [page, cells] : increments_) {
    for (const auto& [pair, count] : cells) sums[pair] += count;
  }
  std::string lines;
  for (unsigned thread = 0; thread < thread_of_task_.size(); ++thread) {
    for (unsigned other = 0; other < thread_of_task_.size(); ++other) {
      lines += fmt::format(" {:>5}", sums[{thread, other}]);
    }
    lines += '\n';
  }
  return lines;
}
