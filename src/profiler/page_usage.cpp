// SPDX-License-Identifier: Apache-2.0
#include "profiler/page_usage.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "profiler/page_runs.hpp"

namespace numatch {

page_usage_observer::page_usage_observer(const settings& chosen)
    : settings_(chosen),
      page_shift_(static_cast<unsigned>(std::countr_zero(chosen.page_bytes))),
      length_(chosen.first_length) {}

page_usage_observer::thread_use& page_usage_observer::at(thread_id thread, std::uint64_t time) {
  last_time_ = std::max(last_time_, time);
  while (time / length_ >= settings_.most_windows) double_length();
  if (thread.index() >= threads_.size()) threads_.resize(thread.index() + 1);
  std::unique_ptr<thread_use>& use = threads_[thread.index()];
  if (use == nullptr) use = std::make_unique<thread_use>(page_shift_);
  if (use->window != time / length_) {
    close_window(*use);
    while (records_ > settings_.most_records && last_time_ / length_ > 0) double_length();
    use->window = static_cast<std::uint32_t>(time / length_);
  }
  return *use;
}

void page_usage_observer::on_accesses(thread_id thread, std::uint64_t time,
                                      std::span<const trace::access> accesses) {
  granule_counts& open = at(thread, time).open;
  for (const trace::access& a : accesses) open.add(a.address, a.bytes, a.write);
}

void page_usage_observer::on_tlb_records(thread_id thread, std::uint64_t time,
                                         std::span<const trace::tlb_record> records) {
  granule_counts& open = at(thread, time).open;
  for (const trace::tlb_record& r : records) {
    if (r.evicted_page != ~std::uint64_t{0}) {
      open.add_granule(r.evicted_page, {.reads = r.evicted_accesses});
    }
  }
}

void page_usage_observer::close_window(thread_use& of) {
  const std::size_t before = of.closed.size();
  of.open.for_each([&](std::uint64_t page, const use_count& use) {
    of.closed.push_back({page, use, of.window});
  });
  of.open.clear();
  records_ += of.closed.size() - before;
}

void page_usage_observer::double_length() {
  length_ *= 2;
  records_ = 0;
  for (const std::unique_ptr<thread_use>& use : threads_) {
    if (use == nullptr) continue;
    use->window /= 2;
    for (record& r : use->closed) r.window /= 2;
    join_records(use->closed);
    records_ += use->closed.size();
  }
}

void page_usage_observer::join_records(std::vector<record>& records) {
  std::sort(records.begin(), records.end(), [](const record& a, const record& b) {
    return std::tie(a.page, a.window) < std::tie(b.page, b.window);
  });
  std::size_t kept = 0;
  for (const record& r : records) {
    if (kept > 0 && records[kept - 1].page == r.page && records[kept - 1].window == r.window) {
      records[kept - 1].use.reads += r.use.reads;
      records[kept - 1].use.writes += r.use.writes;
    } else {
      records[kept++] = r;
    }
  }
  records.resize(kept);
}

result<void> page_usage_observer::finish(profile& learned) {
  learned.page_bytes = settings_.page_bytes;
  learned.pages.clear();
  for (std::uint32_t t = 0; t < threads_.size(); ++t) {
    if (threads_[t] == nullptr) continue;
    close_window(*threads_[t]);
    join_records(threads_[t]->closed);
    for (const record& r : threads_[t]->closed) {
      learned.pages.push_back(
          {page_number(r.page), 1, r.window, thread_id(t), r.use.reads, r.use.writes});
    }
    threads_[t].reset();
  }
  merge_alike_pages(learned.pages);

  learned.windows.clear();
  for (std::uint64_t start = 0; start <= last_time_; start += length_) {
    learned.windows.push_back({start, std::min(start + length_, last_time_ + 1)});
  }
  return {};
}

}  // namespace numatch
