// SPDX-License-Identifier: Apache-2.0
#include "profiler/thread_table.hpp"

#include <algorithm>

namespace numatch {

thread_table::thread_table(std::span<const trace::thread_info> threads, std::size_t count,
                           bool whole_trace)
    : threads_(count), progress_(count) {
  for (const trace::thread_info& t : threads) {
    profiled_thread& named = threads_[t.id.index()];
    named.os_tid = t.os_tid;
    named.name = t.name;
    named.instructions = whole_trace ? t.instructions : 0;
  }
}

void thread_table::take(const trace::step& step) {
  progress& of = progress_[step.thread.index()];
  of.first = std::min(of.first, step.time);
  of.last = std::max(of.last, step.time);
  of.accesses += step.accesses.size();
  for (const trace::tlb_record& r : step.tlb_records) of.accesses += r.evicted_accesses;
}

void thread_table::finish(profile& learned) const {
  learned.threads = threads_;
  learned.total_accesses = 0;
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const progress& of = progress_[t];
    profiled_thread& thread = learned.threads[t];
    thread.start = std::min(of.first, of.last);
    thread.end = of.last;
    thread.accesses = of.accesses;
    learned.total_accesses += of.accesses;
  }
}

}  // namespace numatch
