// SPDX-License-Identifier: Apache-2.0
#include "sim/cache_work.hpp"

#include "sim/backoff.hpp"

namespace numatch::sim {

cache_work::cache_work(std::vector<cache_shard>& shards, std::size_t pus, std::size_t parts)
    : shards_(shards), pus_(pus), parts_(parts), orders_(shards.size()), progress_(shards.size()) {}

void cache_work::begin(std::span<lane> lanes, std::span<lane* const> order,
                       std::uint64_t phase_cycles) {
  lanes_ = lanes;
  order_ = order;
  phase_cycles_ = phase_cycles;
  next_.store(0, std::memory_order_relaxed);
  for (progress& of : progress_) of.done.store(0, std::memory_order_relaxed);
}

bool cache_work::do_next() {
  const std::size_t item = next_.fetch_add(1, std::memory_order_relaxed);
  const std::size_t stage = item / shards_.size();  // 0: sorting
  if (stage > parts_) return false;
  const std::size_t shard = item % shards_.size();
  std::atomic<std::size_t>& done = progress_[shard].done;
  for (backoff until; done.load(std::memory_order_acquire) != stage;) until.wait();
  if (stage == 0) {
    orders_[shard].sort(order_, shard, phase_cycles_);
    shards_[shard].begin_phase(orders_[shard].size());
  } else {
    handle(shard, stage - 1);
  }
  done.store(stage + 1, std::memory_order_release);
  return true;
}

void cache_work::handle(std::size_t shard, std::size_t part) {
  cache_shard& caches = shards_[shard];
  const std::span<const shard_reference> references = orders_[shard].part(part, parts_);
  constexpr std::size_t ahead = 6;
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (i + ahead < references.size()) {
      const shard_reference& later = references[i + ahead];
      caches.prefetch(later.line, static_cast<unsigned>(later.lane % pus_));
    }
    const shard_reference& r = references[i];
    const bool program_lane = r.lane < pus_;
    reference& filled = lanes_[r.lane].references[r.index];
    filled.handled(
        caches.access(r.line, static_cast<unsigned>(r.lane % pus_), r.write, program_lane, filled));
  }
}

}  // namespace numatch::sim
