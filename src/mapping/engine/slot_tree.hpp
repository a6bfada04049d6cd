// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/level_costs.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch::engine {

/// The places of threads: every leaf of the machine has as many slots as it may hold threads, and a
/// mapping is a permutation of the vertices of a thread_graph over the slots. Slots are numbered in
/// the order of the leaves, so every group of a level is a range of slots.
///
/// Only levels that decide something are kept: the root is left out, and so are PUs when none
/// has more than one slot (two threads never share one, whatever is swapped).
class slot_tree {
 public:
  struct level {
    /// What one unit of sharing costs when it crosses a border of this level, in whole numbers:
    /// the cost of a pair is the sum over the levels at which its threads are in different groups.
    std::int32_t weight = 1;
    std::vector<std::uint32_t> first;     ///< first slot of each group; one more at the end
    std::vector<std::uint32_t> group_of;  ///< of each slot
    std::vector<std::uint32_t> parent;    ///< of each group: group of the level above; 0 at the top
    std::size_t groups() const { return first.size() - 1; }
  };

  /// `slots_of_leaf[leaf]` >= 0. Costs of levels must be falling.
  slot_tree(const pu_tree& tree, const level_costs& costs,
            std::span<const std::uint32_t> slots_of_leaf);

  /// Two neighbouring slots become one (of the first one's leaf). Levels with odd borders are left
  /// out, and so is one whose groups are single pairs. size() must be even.
  slot_tree halved() const;

  /// The groups of a level, which are equally large, as slots of the levels above it.
  slot_tree above(std::size_t depth) const;

  std::size_t size() const { return leaf_of_.size(); }
  std::uint32_t leaf_of(std::size_t slot) const { return leaf_of_[slot]; }
  /// From the widest groups to the smallest.
  std::span<const level> levels() const { return levels_; }
  /// Sum of the weights of all levels: the cost of a unit between the farthest slots.
  std::int32_t diameter() const { return diameter_; }
  /// What a unit of sharing costs between two slots.
  std::int32_t distance(std::uint32_t slot_a, std::uint32_t slot_b) const {
    std::size_t l = 0;
    while (l < levels_.size() && levels_[l].group_of[slot_a] == levels_[l].group_of[slot_b]) ++l;
    return below_[l];
  }
  /// What it costs at most between two slots of one group of a level.
  std::int32_t distance_inside(std::size_t at_level) const { return below_[at_level + 1]; }
  /// Distance that a level weight of 1 stands for.
  double unit() const { return unit_; }

 private:
  slot_tree() = default;
  void add_level(std::int32_t weight, const std::vector<std::uint32_t>& group_of_slot);

  std::vector<std::uint32_t> leaf_of_;
  std::vector<level> levels_;
  std::vector<std::int32_t> below_{0};  ///< weights of a level and of those below it; 0 at the end
  std::int32_t diameter_ = 0;
  double unit_ = 1;
};

}  // namespace numatch::engine
