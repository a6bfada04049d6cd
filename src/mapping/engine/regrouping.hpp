// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/engine/swap_table.hpp"
#include "mapping/engine/tree_cut.hpp"

namespace numatch::engine {

/// Improves a placement by taking two groups of a level, placing their vertices anew on the slots
/// of both, and keeping what is not worse: it moves several vertices at once, which swaps of two
/// cannot. In small problems, where that is cheap, it takes more than two groups with one parent:
/// vertices can then change places in a circle.
class regrouping {
 public:
  explicit regrouping(const slot_tree& tree);

  /// Tries `rounds` pairs of groups of at most `most` vertices together, and cuts them so hard.
  void improve(swap_table& table, tree_cutter& cutter, const thread_graph& graph,
               std::uint64_t rounds, std::size_t most, const cut_effort& effort,
               random_source& random);

 private:
  std::size_t draw_level(std::size_t first_level, random_source& random) const;
  bool choose_siblings(std::size_t level, random_source& random);
  bool choose_pair(const swap_table& table, std::size_t level, random_source& random);
  std::size_t widest_group(std::size_t level) const;
  void weigh(const swap_table& table);

  const slot_tree& tree_;
  std::size_t level_ = 0;
  std::uint32_t a_ = 0;
  std::uint32_t b_ = 0;
  std::vector<std::uint32_t> siblings_;
  std::vector<std::int32_t> pull_;
  std::vector<std::uint32_t> before_;
  std::vector<std::uint32_t> after_;
  std::vector<std::uint32_t> moved_;
};

}  // namespace numatch::engine
