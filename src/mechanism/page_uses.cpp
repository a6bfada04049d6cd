// SPDX-License-Identifier: Apache-2.0
#include "mechanism/page_uses.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::oracle {

void page_uses::add(page_number page, thread_id thread, std::uint64_t uses) {
  std::uint32_t& place = row_of_[page.value];
  if (place == 0) {
    rows_.emplace_back();
    pages_.push_back(page);
    place = static_cast<std::uint32_t>(rows_.size());
  }
  row& found = rows_[place - 1];
  if (!found.used_lately) {
    found.used_lately = true;
    used_lately_.push_back(page);
  }
  const auto known = std::find_if(found.threads.begin(), found.threads.end(),
                                  [&](const thread_uses& t) { return t.thread == thread.value; });
  if (known != found.threads.end()) {
    known->uses += static_cast<double>(uses);
  } else {
    found.threads.push_back({thread.value, static_cast<double>(uses)});
  }
}

void page_uses::scale(double factor) {
  for (row& r : rows_) {
    for (thread_uses& t : r.threads) t.uses *= factor;
  }
}

std::vector<page_number> page_uses::take_used(bool all) {
  for (const page_number page : used_lately_) {
    rows_[*row_of_.find(page.value) - 1].used_lately = false;
  }
  std::vector<page_number> taken = all ? pages_ : std::move(used_lately_);
  used_lately_.clear();
  std::sort(taken.begin(), taken.end());
  return taken;
}

std::span<const page_uses::thread_uses> page_uses::of(page_number page) const {
  const std::uint32_t* place = row_of_.find(page.value);
  if (place == nullptr) return {};
  return rows_[*place - 1].threads;
}

std::optional<node_id> better_node(std::span<const page_uses::thread_uses> uses,
                                   std::span<const std::optional<node_id>> node_of_thread,
                                   node_id present, double least_gain, std::span<double> by_node) {
  std::fill(by_node.begin(), by_node.end(), 0.0);
  for (const page_uses::thread_uses& t : uses) {
    if (t.thread < node_of_thread.size() && node_of_thread[t.thread]) {
      by_node[node_of_thread[t.thread]->index()] += t.uses;
    }
  }
  const auto most = std::max_element(by_node.begin(), by_node.end());
  if (most == by_node.end()) return std::nullopt;
  const double all = std::accumulate(by_node.begin(), by_node.end(), 0.0);
  if (*most - by_node[present.index()] <= least_gain * all) return std::nullopt;
  return node_id(static_cast<std::uint32_t>(most - by_node.begin()));
}

}  // namespace numatch::oracle
