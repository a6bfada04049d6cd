// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/cache_shard.hpp"
#include "sim/reference.hpp"
#include "sim/shard_order.hpp"

namespace numatch::sim {

/// What the caches do in a phase, as items that host threads take one by one: each is one shard and
/// a part of the phase. Items come in the order of time, so that the weave can follow at a short
/// distance. Whoever takes them, a shard handles its references one after the other: the result is
/// always the same.
class cache_work {
 public:
  /// `shards` must live longer. Each phase is cut into `parts`.
  cache_work(std::vector<cache_shard>& shards, std::size_t pus, std::size_t parts);

  /// A phase: `lanes` is what shard_reference::lane counts; `order` are those that have references,
  /// in the order that decides at the same cycle.
  void begin(std::span<lane> lanes, std::span<lane* const> order, std::uint64_t phase_cycles);

  /// Does an item; false when all are taken (others may still be doing theirs). Several host
  /// threads may call it at the same time.
  bool do_next();

 private:
  void handle(std::size_t shard, std::size_t part);

  struct alignas(64) progress {
    std::atomic<std::size_t> done = 0;  ///< items of the shard
  };
  std::vector<cache_shard>& shards_;
  std::size_t pus_;
  std::size_t parts_;
  std::vector<shard_order> orders_;
  std::vector<progress> progress_;
  alignas(64) std::atomic<std::size_t> next_ = 0;
  std::span<lane> lanes_;
  std::span<lane* const> order_;
  std::uint64_t phase_cycles_ = 1;
};

}  // namespace numatch::sim
