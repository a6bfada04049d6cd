// SPDX-License-Identifier: Apache-2.0
#include "live/use_counts.hpp"

#include <algorithm>
#include <cmath>

#include "live/mapped_objects.hpp"
#include "mechanism/event_matrix.hpp"
#include "mechanism/oracle_pairs.hpp"

namespace numatch::live {

namespace {
constexpr std::uint64_t first_window = 65'536;  // microseconds
}

use_counts::use_counts(std::uint64_t began, unsigned most_windows,
                       std::function<std::string(pid_t)> name_of)
    : began_(began), name_of_(std::move(name_of)), windows_(most_windows, first_window) {}

std::uint64_t use_counts::profile_time(std::uint64_t time) const {
  return time < began_ ? 0 : (time - began_) / 1000;
}

thread_id use_counts::thread_of(pid_t task, std::uint64_t time) {
  const auto known = living_.find(task);
  if (known != living_.end()) return known->second;
  const thread_id fresh(static_cast<std::uint32_t>(threads_.size()));
  profiled_thread thread;
  thread.os_tid = static_cast<std::uint32_t>(task);
  thread.name = name_of_(task);
  thread.start = thread.end = profile_time(time);
  threads_.push_back(thread);
  living_.emplace(task, fresh);
  return fresh;
}

void use_counts::on_task_start(pid_t task, std::uint64_t time) {
  if (!too_many_threads()) thread_of(task, time);
}

void use_counts::on_task_end(pid_t task, std::uint64_t time) {
  const auto known = living_.find(task);
  if (known == living_.end()) return;
  threads_[known->second.index()].end = profile_time(time);
  living_.erase(known);
}

void use_counts::on_use(const sensed_use& use) {
  if (too_many_threads() && !living_.contains(use.task)) return;
  const thread_id thread = thread_of(use.task, use.time);
  const std::uint64_t uses = static_cast<std::uint64_t>(std::max(1LL, std::llround(use.weight)));
  const page_number page(use.address / sensed_page_bytes);
  const bool is_write = use.write.value_or(false);
  windows_.add(page, thread, profile_time(use.time),
               is_write ? use_count{0, uses} : use_count{uses, 0});
  threads_[thread.index()].accesses += uses;
  if (thread.index() >= sharing_uses_.size()) sharing_uses_.resize(thread.index() + 1);
  use_count& shared = sharing_uses_[thread.index()][page.value];
  (use.write.value_or(true) ? shared.writes : shared.reads) += uses;
}

void use_counts::fill(profile& learned, const std::map<std::uint64_t, mapped_range>& mappings,
                      std::uint64_t end) {
  const std::uint64_t last = profile_time(end);
  windows_.reach(last == 0 ? 0 : last - 1);
  for (const auto& [task, thread] : living_) {
    profiled_thread& alive = threads_[thread.index()];
    alive.end = std::max(alive.end, last);
    const std::string name = name_of_(task);
    if (!name.empty()) alive.name = name;
  }
  learned.page_bytes = sensed_page_bytes;
  learned.threads = threads_;
  learned.total_accesses = 0;
  for (const profiled_thread& t : threads_) learned.total_accesses += t.accesses;
  learned.windows = windows_.windows();
  learned.pages = windows_.uses();

  std::vector<oracle::granule_use> uses;
  for (std::uint32_t t = 0; t < sharing_uses_.size(); ++t) {
    sharing_uses_[t].for_each(
        [&](std::uint64_t page, const use_count& count) { uses.push_back({page, t, count}); });
  }
  event_matrix sums;
  if (!threads_.empty()) sums.note_thread(static_cast<std::uint32_t>(threads_.size() - 1));
  oracle::add_pairs(uses, oracle::pair_count::transfers, sums);
  learned.sharing = sums.sharing();
  learned.sharing.grow(threads_.size());
  learned.objects = mapped_objects(learned.pages, mappings);
}

}  // namespace numatch::live
