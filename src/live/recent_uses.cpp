// SPDX-License-Identifier: Apache-2.0
#include "live/recent_uses.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanism/event_matrix.hpp"
#include "mechanism/oracle_pairs.hpp"

namespace numatch::live {

void recent_uses::on_use(const sensed_use& use) {
  use_count& count = present_[use.task][use.address / sensed_page_bytes];
  const std::uint64_t uses = static_cast<std::uint64_t>(std::max(1LL, std::llround(use.weight)));
  (use.write.value_or(true) ? count.writes : count.reads) += uses;
}

void recent_uses::on_task_end(pid_t task, std::uint64_t) {
  // Its number may be given to another thread.
  present_.erase(task);
  last_.erase(task);
}

void recent_uses::turn() {
  last_ = std::exchange(present_, {});
}

void recent_uses::pages_of(pid_t task,
                           const std::function<void(std::uint64_t, const use_count&)>& each) const {
  const auto now = present_.find(task);
  const auto before = last_.find(task);
  const auto in = [&](const period& part, period::const_iterator at, std::uint64_t page) {
    const use_count* found = at == part.end() ? nullptr : at->second.find(page);
    return found == nullptr ? use_count{} : *found;
  };
  if (now != present_.end()) {
    now->second.for_each([&](std::uint64_t page, const use_count& count) {
      const use_count more = in(last_, before, page);
      each(page, {count.reads + more.reads, count.writes + more.writes});
    });
  }
  if (before == last_.end()) return;
  before->second.for_each([&](std::uint64_t page, const use_count& count) {
    const bool told = now != present_.end() && now->second.find(page) != nullptr;
    if (!told) each(page, count);
  });
}

sharing_matrix recent_uses::sharing(std::span<const pid_t> tasks) const {
  std::vector<oracle::granule_use> uses;
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    pages_of(tasks[t],
             [&](std::uint64_t page, const use_count& count) { uses.push_back({page, t, count}); });
  }
  event_matrix sums;
  oracle::add_pairs(uses, oracle::pair_count::transfers, sums);
  sharing_matrix matrix = sums.sharing();
  matrix.grow(tasks.size());
  return matrix;
}

}  // namespace numatch::live
