// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "control/seen_uses.hpp"
#include "topology/topology.hpp"

namespace numatch::control {

/// By thread; nullopt: it has ended.
using thread_nodes = std::vector<std::optional<node_id>>;

/// A thread of the program, by its number.
struct thread_state {
  std::optional<pu_id> pu;     ///< where it runs, or ran last; nullopt: it has ended
  bool runs = false;           ///< took a share of the processors' time lately
  double seconds = 0;          ///< that it took lately
  std::vector<pu_id> may_use;  ///< its own affinity and cpuset
};

/// What was seen of a program, and how it is placed.
struct seen_program {
  const topology& machine;
  const std::vector<memory_unit>& units;
  const std::deque<stretch_of_time>& stretches;        ///< in which these were used
  std::span<const std::optional<node_id>> unit_nodes;  ///< of each unit; nullopt: it cannot move
  std::span<const char> may_move;  ///< of each unit: 0 where the program has a policy of its own
  std::span<const thread_state> threads;
  std::span<const std::uint64_t> bytes_used;  ///< by thread
  std::span<const node_id> page_targets;      ///< nodes that may get pages, ascending
};

/// What a placement would have made of some uses.
struct trial {
  double uses = 0;
  double local_now = 0;
  double local_then = 0;
  double changed = 0;  ///< uses that become local or remote
  double alike = 0;    ///< the gain if all pages had been used alike by those who were seen
  double by_time = 0;  ///< the same, by all who run, in proportion to their processor time
  double gain() const { return local_then - local_now; }
  /// What the pages themselves show, and what holds whoever uses them.
  double believed() const { return std::min(gain(), gain() - alike + by_time); }
  trial& operator+=(const trial& more);
};

/// By whose the memory is: one thread's alone, or used by several.
struct trial_by_kind {
  trial own;
  trial shared;
  trial all() const;
};

/// Which uses a placement is tried on.
enum class tried_uses : std::uint8_t {
  testing_half,   ///< of all that is remembered
  latest_stretch  ///< of time
};
inline constexpr std::size_t teaching_half = 0;
inline constexpr std::size_t testing_half = 1;

thread_nodes present_nodes(const seen_program& seen);

/// A placement to be tried.
struct tried_placement {
  thread_nodes threads;
  std::vector<std::optional<node_id>> units;  ///< nullopt: where it is
  std::vector<char> own;                      ///< of each unit: counts as one thread's alone
};

/// Threads go from the nodes `now` to those of the placement. Units that one thread uses alone
/// whose thread uses no more than `cached_bytes` do not count.
trial_by_kind try_placement(const seen_program& seen, std::uint64_t cached_bytes,
                            const thread_nodes& now, const tried_placement& then, tried_uses what);

/// Whose pages are in its cache wherever they lie.
bool is_cached(const memory_unit& unit, const seen_program& seen, std::uint64_t cached_bytes);

}  // namespace numatch::control
