// SPDX-License-Identifier: Apache-2.0
#include "sim/cache_work.hpp"

#include "sim/backoff.hpp"

namespace numatch::sim {

cache_work::cache_work(std::vector<cache_shard>& shards, std::size_t pus, std::size_t parts,
                       unsigned members)
    : shards_(shards),
      pus_(pus),
      parts_(parts),
      members_(members),
      orders_(shards.size()),
      progress_(shards.size()) {}

void cache_work::begin(std::span<lane> lanes, std::span<lane* const> order,
                       std::uint64_t phase_cycles) {
  lanes_ = lanes;
  order_ = order;
  phase_cycles_ = phase_cycles;
  for (progress& of : progress_) of.state.store(0, std::memory_order_relaxed);
}

cache_work::found cache_work::do_next(unsigned member) {
  const std::size_t shards = shards_.size();
  const std::size_t first = member % members_ * shards / members_;
  std::size_t chosen = shards;
  std::size_t stage = parts_ + 1;  // stage 0 is sorting
  bool end = true;
  for (std::size_t i = 0; i < shards; ++i) {
    const std::size_t shard = (first + i) % shards;
    const std::size_t state = progress_[shard].state.load(std::memory_order_relaxed);
    const bool is_free = state % 2 == 0;
    end = end && state / 2 + (is_free ? 0 : 1) > parts_;
    if (is_free && state / 2 < stage) {
      stage = state / 2;
      chosen = shard;
    }
  }
  if (chosen == shards) return end ? found::end : found::nothing;
  std::atomic<std::size_t>& state = progress_[chosen].state;
  std::size_t expected = 2 * stage;
  if (!state.compare_exchange_strong(expected, expected + 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
    return found::nothing;
  }
  if (stage == 0) {
    orders_[chosen].sort(order_, chosen, phase_cycles_);
    shards_[chosen].begin_phase(orders_[chosen].all().size());
  } else {
    handle(chosen, stage - 1);
  }
  state.store(2 * (stage + 1), std::memory_order_release);
  return found::item;
}

void cache_work::do_all(unsigned member) {
  backoff until;
  for (found last = found::item; last != found::end; last = do_next(member)) {
    if (last == found::nothing) until.wait();
  }
}

void cache_work::handle(std::size_t shard, std::size_t part) {
  cache_shard& caches = shards_[shard];
  const std::span<const shard_reference> all = orders_[shard].all();
  const std::span<const shard_reference> references = orders_[shard].part(part, parts_);
  const std::size_t begin = static_cast<std::size_t>(references.data() - all.data());
  constexpr std::size_t ahead = 6;
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (begin + i + ahead < all.size()) {
      const shard_reference& later = all[begin + i + ahead];
      caches.prefetch(later.line, static_cast<unsigned>(later.lane % pus_));
      __builtin_prefetch(&lanes_[later.lane].references[later.index], 1);
    }
    const shard_reference& r = references[i];
    const bool program_lane = r.lane < pus_;
    reference& filled = lanes_[r.lane].references[r.index];
    filled.handled(
        caches.access(r.line, static_cast<unsigned>(r.lane % pus_), r.write, program_lane, filled));
  }
}

}  // namespace numatch::sim
