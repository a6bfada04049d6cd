// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mapping/limits.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch {

/// The load of every group of a tree, all levels in one block. The tree must outlive it.
class group_loads {
 public:
  explicit group_loads(const pu_tree& tree) : tree_(&tree), offset_(tree.levels()) {
    std::size_t groups = 0;
    for (std::size_t level = 0; level < tree.levels(); ++level) {
      offset_[level] = groups;
      groups += tree.groups(level).size();
    }
    load_.resize(groups);
  }

  double& at(std::size_t level, std::size_t group) { return load_[offset_[level] + group]; }
  double at(std::size_t level, std::size_t group) const { return load_[offset_[level] + group]; }

  /// Puts a weight on a leaf; a negative one takes it away.
  void add(std::size_t leaf, double weight) {
    for (std::size_t level = 0; level < tree_->levels(); ++level) {
      at(level, tree_->group_of(level, leaf)) += weight;
    }
  }

  bool is_over(const load_limits& limits, std::size_t level, std::size_t group) const {
    return at(level, group) > limits.limit[level][group] * (1 + limit_tolerance);
  }

  /// Whether a leaf and the groups around it, from the PU up to `level`, can hold `weight` more.
  bool has_room(const load_limits& limits, std::size_t leaf, double weight,
                std::size_t level = 0) const {
    for (std::size_t l = tree_->levels(); l-- > level;) {
      const std::uint32_t group = tree_->group_of(l, leaf);
      if (at(l, group) + weight > limits.limit[l][group] * (1 + limit_tolerance)) return false;
    }
    return true;
  }

 private:
  const pu_tree* tree_;
  std::vector<std::size_t> offset_;
  std::vector<double> load_;
};

}  // namespace numatch
