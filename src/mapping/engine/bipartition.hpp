// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/cut_scales.hpp"
#include "mapping/engine/random.hpp"
#include "mapping/engine/ranked_row.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// How hard one cut is tried: sides grown from so many vertices, in the graph as it is and in the
/// graph shrunk by matching the vertices that share most. The best one is taken.
struct cut_effort {
  unsigned flat = 1;
  unsigned shrunk = 0;
  unsigned shrunk_wide = 0;  ///< of sets of so many (wide_set) and more, where it is not 0
  static constexpr std::size_t wide_set = 512;
};

/// Cuts a set of vertices into two sides of given sizes so that little is shared across: greedy
/// graph growing, then passes of swaps (Kernighan and Lin, with the gains kept as Fiduccia and
/// Mattheyses do), optionally on a hierarchy of matchings. Of few vertices all sides are looked at.
class bipartitioner {
 public:
  /// For graphs of `vertices`, of which at most `most` are cut at once.
  bipartitioner(std::size_t vertices, std::size_t most);

  /// Allocates for dense and for sparse graphs, so that cut() never does.
  void reserve() { scales_.reserve(); }

  /// Reorders `part` so that side a, of size_a vertices, comes first. `pull[i]` is what part[i]
  /// costs more on side b because of vertices outside; empty means nothing.
  void cut(const thread_graph& graph, std::span<std::uint32_t> part,
           std::span<const std::int32_t> pull, std::size_t size_a, const cut_effort& effort,
           random_source& random);

 private:
  void grow(cut_scale& s, std::size_t size_a, std::uint32_t seed);
  void count_near(cut_scale& s);
  void find_gains(const cut_scale& s);
  void fill_up(cut_scale& s, std::size_t size_a);
  std::int64_t refine(cut_scale& s);
  std::int64_t cut_flat(std::size_t size_a, unsigned tries, random_source& random,
                        std::size_t level);
  std::int64_t cut_shrunk(std::size_t size_a, random_source& random);
  void cut_many(std::size_t size_a, const cut_effort& effort, random_source& random);

  cut_scales scales_;
  ranked_row gain_a_;  ///< of moving a vertex of side a; `out` for the others
  ranked_row gain_b_;
  std::vector<std::int32_t> near_;         ///< -2 x what a vertex shares with side a
  std::vector<std::uint8_t> best_side_;    ///< of the tries on one scale
  std::vector<std::uint8_t> chosen_side_;  ///< of all tries
  std::vector<std::uint32_t> swapped_;
  std::vector<std::uint32_t> sorted_;
};

}  // namespace numatch::engine
