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
/// distance; among those of the same time everybody has shards of its own first, whose entries its
/// processor has near. Whoever takes them, a shard handles its references one after the other: the
/// result is always the same.
class cache_work {
 public:
  /// `shards` must live longer. Each phase is cut into `parts`.
  cache_work(std::vector<cache_shard>& shards, std::size_t pus, std::size_t parts,
             unsigned members);

  /// A phase: `lanes` is what shard_reference::lane counts; `order` are those that have references,
  /// in the order that decides at the same cycle.
  void begin(std::span<lane> lanes, std::span<lane* const> order, std::uint64_t phase_cycles);

  enum class found : std::uint8_t {
    item,     ///< it is done
    nothing,  ///< others are at work on the shards that are left
    end,      ///< all are taken (others may still be doing theirs)
  };
  /// Does an item, if there is one. The members may call it at the same time.
  found do_next(unsigned member);
  /// Does all items that others leave.
  void do_all(unsigned member);

 private:
  void handle(std::size_t shard, std::size_t part);

  struct alignas(64) progress {
    /// Twice the items of the shard that are done, and one more while somebody does the next.
    std::atomic<std::size_t> state = 0;
  };
  std::vector<cache_shard>& shards_;
  std::size_t pus_;
  std::size_t parts_;
  unsigned members_;
  std::vector<shard_order> orders_;
  std::vector<progress> progress_;
  std::span<lane> lanes_;
  std::span<lane* const> order_;
  std::uint64_t phase_cycles_ = 1;
};

}  // namespace numatch::sim
