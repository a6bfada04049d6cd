// SPDX-License-Identifier: Apache-2.0
#include "ring_program/worker.hpp"

#include <algorithm>
#include <iterator>

#include "ring_program/random.hpp"

namespace ring {

namespace {

void add_one(std::atomic<std::uint64_t>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// Work between accesses that the compiler cannot leave out.
void compute(unsigned steps) {
  for (unsigned step = 0; step < steps; ++step) {
    asm volatile("");
  }
}

}  // namespace

worker::worker(const options& chosen, const memory& pages, unsigned thread)
    : chosen_(chosen), pages_(pages), thread_(thread) {
  std::array<std::vector<std::size_t>, phases> used;
  std::vector<std::size_t> all;
  for (unsigned phase = 0; phase < phases; ++phase) {
    used[phase] = pages_of_thread(chosen, thread, phase);
    std::vector<std::size_t> merged;
    std::set_union(all.begin(), all.end(), used[phase].begin(), used[phase].end(),
                   std::back_inserter(merged));
    all = std::move(merged);
  }
  records_ = std::vector<page_record>(all.size());
  for (std::size_t at = 0; at < all.size(); ++at) records_[at].page = all[at];
  for (unsigned phase = 0; phase < phases; ++phase) {
    for (const std::size_t page : used[phase]) {
      const auto found = std::lower_bound(all.begin(), all.end(), page);
      records_of_phase_[phase].push_back(static_cast<std::uint32_t>(found - all.begin()));
    }
  }
}

void worker::touch() {
  const layout shape = layout_of(chosen_);
  for (std::size_t region = 0; region < shape.regions(); ++region) {
    if (users_of(chosen_, region, 0).front() != thread_) continue;
    for (std::size_t page = 0; page < shape.pages_of(region); ++page) {
      volatile std::uint64_t* const word =
          pages_.page(shape.first_page_of(region) + page) + thread_;
      *word = 0;
    }
  }
}

void worker::access(page_record& record, std::uint64_t draw) {
  volatile std::uint64_t* const word = word_of(record);
  if (draw % 100 < chosen_.read_percent) {
    if (*word != record.sum) ++wrong_reads_;
    add_one(record.reads);
  } else {
    *word = *word + draw;
    record.sum += draw;
    add_one(record.writes);
  }
}

void worker::run(control& told) {
  random source(chosen_.seed, thread_);
  for (std::uint64_t made = 0; chosen_.accesses == 0 || made < chosen_.accesses; ++made) {
    if (told.stop.load(std::memory_order_relaxed)) return;
    const std::vector<std::uint32_t>& usable =
        records_of_phase_[told.phase.load(std::memory_order_relaxed)];
    access(records_[usable[source.below(usable.size())]], source.next());
    compute(chosen_.compute);
  }
  told.finished.fetch_add(1);
}

std::uint64_t worker::errors() const {
  const auto differ =
      std::count_if(records_.begin(), records_.end(),
                    [this](const page_record& record) { return *word_of(record) != record.sum; });
  return wrong_reads_ + static_cast<std::uint64_t>(differ);
}

}  // namespace ring
