// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace numatch {

/// The tree over the PUs that a mapping may use: the machine's tree without the PUs that are not
/// allowed and without the levels that no longer branch. Its leaves are those PUs in the order of
/// the tree, so every group of a level is a range of leaves. Immutable.
class pu_tree {
 public:
  /// A part of the machine on one level: the leaves [first, end).
  struct group {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint32_t parent = 0;  ///< number of the group one level up; 0 for the root
    std::uint32_t size() const { return end - first; }
  };

  /// `allowed` are distinct PUs of the machine in any order; empty means all of them.
  explicit pu_tree(const topology& machine, std::span<const pu_id> allowed = {});

  std::size_t size() const { return pus_.size(); }
  pu_id pu(std::size_t leaf) const { return pus_[leaf]; }
  /// The leaf of a PU; no_leaf when it is not allowed.
  std::uint32_t leaf_of(pu_id pu) const { return leaf_of_[pu.index()]; }
  static constexpr std::uint32_t no_leaf = ~0U;

  /// Levels from the root (level 0, one group) to the PUs (the last level, a group per leaf).
  std::size_t levels() const { return groups_.size(); }
  std::span<const group> groups(std::size_t level) const { return groups_[level]; }
  std::uint32_t group_of(std::size_t level, std::size_t leaf) const {
    return group_of_[level][leaf];
  }
  /// Groups on level, per leaf.
  std::span<const std::uint32_t> groups_of_leaves(std::size_t level) const {
    return group_of_[level];
  }
  /// The machine's level at which the groups of `level` (1 or more) part from their siblings:
  /// index into level_costs::cost and, plus one, into topology::level_names().
  std::size_t machine_level(std::size_t level) const { return machine_level_[level]; }

 private:
  std::vector<pu_id> pus_;
  std::vector<std::uint32_t> leaf_of_;
  std::vector<std::vector<group>> groups_;
  std::vector<std::vector<std::uint32_t>> group_of_;
  std::vector<std::size_t> machine_level_;
};

}  // namespace numatch
