// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/cache_shard.hpp"
#include "sim/chip_inside.hpp"
#include "sim/earliest.hpp"
#include "sim/interconnect.hpp"
#include "sim/line_homes.hpp"
#include "sim/machine_config.hpp"
#include "sim/memory.hpp"
#include "sim/reference.hpp"

namespace numatch::sim {

/// What a lane's references cost, in cycles.
struct lane_cost {
  std::uint64_t tlb = 0;
  std::uint64_t caches = 0;
  std::uint64_t memory = 0;  ///< without queues
  std::uint64_t queues = 0;
  std::uint64_t waited = 0;  ///< for other threads
  std::uint64_t end = 0;     ///< the lane's clock after the phase
};

/// A release and the cycle at which it happened.
struct release_time {
  std::uint64_t object;
  std::uint64_t stamp;
  std::uint64_t when;
};

/// Lets everything that left the chips in a phase, or the cores of chips that have stops, pass
/// links, banks and memory in the order of its cycles.
class weave {
 public:
  weave(const machine_config& config, const line_homes& homes);

  /// A phase. `lanes` in the order that decides at the same cycle. Lanes of which background[i] is
  /// true are the mechanism's own: their messages are of class table. All must live until the end.
  void begin(std::span<lane* const> lanes, std::span<const std::uint8_t> background,
             std::span<const cache_shard> shards);
  /// Goes on as far as the caches have handled what comes next; true at the phase's end. May run
  /// while other host threads handle references; how far it gets changes nothing in the result,
  /// except the order of answers().
  bool proceed();

  /// Of the phase, when it has ended: costs()[i] is of lane i.
  const std::vector<lane_cost>& costs() const { return costs_; }
  /// What happened in the phase.
  const std::vector<release_time>& releases() const { return releases_; }
  /// Of every reference that looked into its chip's cache, for sampling.
  struct answered {
    std::uint32_t lane;
    std::uint32_t index;
    std::uint32_t latency;
    std::uint8_t source;  ///< data_source
  };
  bool keep_answers = false;
  const std::vector<answered>& answers() const { return answers_; }

  /// A page is copied from one node to another at `when`; returns the cycles that it takes.
  std::uint64_t copy_page(unsigned from, std::uint32_t from_frame, unsigned to,
                          std::uint32_t to_frame, std::uint64_t when);

  const interconnect& links() const { return links_; }
  const std::vector<memory>& memories() const { return memories_; }
  /// By chip; empty where they have no stops.
  const std::vector<chip_inside>& chips() const { return inside_; }
  std::uint64_t local_memory() const { return local_; }
  std::uint64_t remote_memory() const { return remote_; }
  std::uint64_t cache_to_cache() const { return cache_to_cache_; }
  std::uint64_t upgrades() const { return upgrades_; }
  std::uint64_t invalidations() const { return invalidations_; }
  std::uint64_t write_backs() const { return write_backs_; }

 private:
  struct cursor {
    lane* on = nullptr;
    std::uint32_t number = 0;
    std::size_t next = 0;
    std::size_t next_marker = 0;
    std::uint64_t stalled = 0;
    std::uint64_t busy_until = 0;  ///< of a background lane
    bool background = false;
    /// When the next transaction leaves its chip; while that is not known, it leaves no earlier.
    std::uint64_t leaves = 0;
    std::uint32_t transaction = not_handled;  ///< the next one
    // Misses that are under way together: the first one's place and time, how many more may join
    // it.
    std::uint32_t group_offset = 0;
    std::uint64_t group_leaves = 0;
    unsigned group_room = 0;
  };
  struct outcome {
    std::uint64_t latency = 0;
    std::uint64_t quiet = 0;
    std::uint64_t caches =
        0;  ///< of `quiet`: the last level's lookup, with the ways to it and back
    std::uint8_t source = 0;
  };

  /// What messages count as.
  struct classes {
    traffic request;
    traffic forward;
    traffic data;
    traffic invalidation;
    traffic write_back;
  };

  std::uint64_t not_before(const cursor& at, const reference& r) const;
  [[gnu::always_inline]] void advance(cursor& at, lane_cost& cost);
  void join_group(cursor& at, const reference& r);
  [[gnu::always_inline]] void wait_for(cursor& at, const outcome& done, lane_cost& cost);
  void pass_markers(cursor& at, lane_cost& cost, std::size_t until);
  /// `Stops`: chips have them.
  template <bool Stops>
  outcome carry_out(const transaction& t, std::uint64_t when, bool background);
  bool asks(const cursor& at, const reference& r) const;
  template <bool Stops>
  void drop_further(const transaction& t, unsigned node, std::uint64_t when, traffic why);
  template <bool Stops>
  void drop(const transaction& t, unsigned node, std::uint64_t when, traffic why);

  const machine_config& config_;
  const line_homes& homes_;
  interconnect links_;
  std::vector<memory> memories_;
  std::vector<chip_inside> inside_;  ///< [chip]; empty where they have no stops
  std::uint64_t forward_latency_ = 0;
  std::span<const cache_shard> shards_;
  std::vector<cursor> cursors_;
  std::vector<lane_cost> costs_;
  std::uint64_t begin_ = 0;  ///< of the earliest lane
  std::size_t begun_ = 0;    ///< so many lanes have come to their first transaction
  earliest next_;
  std::vector<release_time> releases_;
  std::vector<answered> answers_;
  std::uint64_t local_ = 0;
  std::uint64_t remote_ = 0;
  std::uint64_t cache_to_cache_ = 0;
  std::uint64_t upgrades_ = 0;
  std::uint64_t invalidations_ = 0;
  std::uint64_t write_backs_ = 0;
};

}  // namespace numatch::sim
