// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/limits.hpp"
#include "mapping/mapper.hpp"

namespace numatch::engine {

/// What the search with all constraints may spend, in additions: a large request ends after so much
/// work, with what was found until then.
struct work_limits {
  /// Knowing what every place would cost each thread; beyond, the start is the answer.
  std::uint64_t tables = 4'000'000'000;
  /// One round of annealing, as if every proposal moved a thread: large problems anneal less, or
  /// not at all.
  std::uint64_t annealing = 2'000'000'000;
  /// Each descent.
  std::uint64_t descent = 20'000'000'000;

  static constexpr std::uint64_t rounds = 2;  ///< of annealing
  /// All of it: tables and a descent at first and in each round, and exchanges of two threads.
  std::uint64_t in_all() const {
    return (rounds + 1) * (tables + descent) + rounds * 2 * annealing;
  }
};

struct bounded_answer {
  std::vector<std::uint32_t> leaf_of;
  std::uint64_t work = 0;  ///< additions made, counted
};

/// Improves a mapping with everything that a request asks for: a descent of flexible_search, then
/// two rounds of annealing with `proposals` per thread, cut down to the limits of work. leaf_of
/// must keep the limits of load.
bounded_answer search_bounded(const mapping_request& request, const pu_tree& tree,
                              const load_limits& limits, std::span<const std::uint32_t> leaf_of,
                              std::uint64_t proposals, const work_limits& work,
                              random_source& random);

/// The best of descents from up to `starts` mappings, which next() gives and which must keep the
/// limits of load. When a descent's worth of work is done no further one begins; where the tables
/// are too much the first start is the answer.
bounded_answer best_descent(const mapping_request& request, const pu_tree& tree,
                            const load_limits& limits, unsigned starts,
                            const std::function<std::vector<std::uint32_t>()>& next,
                            const work_limits& work);

}  // namespace numatch::engine
