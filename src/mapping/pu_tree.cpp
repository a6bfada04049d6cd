// SPDX-License-Identifier: Apache-2.0
#include "mapping/pu_tree.hpp"

#include <algorithm>

namespace numatch {

pu_tree::pu_tree(const topology& machine, std::span<const pu_id> allowed)
    : pus_(allowed.begin(), allowed.end()), leaf_of_(machine.pu_count(), no_leaf) {
  if (pus_.empty()) {
    for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) pus_.emplace_back(pu);
  }
  const auto before = [&](pu_id a, pu_id b) {
    const std::vector<unsigned>& way_a = machine.path(a);
    const std::vector<unsigned>& way_b = machine.path(b);
    return way_a != way_b ? way_a < way_b : a < b;
  };
  if (!std::is_sorted(pus_.begin(), pus_.end(), before)) {
    std::sort(pus_.begin(), pus_.end(), before);
  }
  const std::uint32_t leaves = static_cast<std::uint32_t>(pus_.size());
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) leaf_of_[pus_[leaf].index()] = leaf;

  groups_.push_back({group{0, leaves, 0}});
  group_of_.emplace_back(leaves, 0);
  machine_level_.push_back(0);
  for (std::size_t level = 0; level < machine.depth(); ++level) {
    const std::vector<std::uint32_t>& above = group_of_.back();
    std::vector<group> groups;
    std::vector<std::uint32_t> of_leaf(leaves);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const bool parts = leaf == 0 || above[leaf] != above[leaf - 1] ||
                         machine.path(pus_[leaf])[level] != machine.path(pus_[leaf - 1])[level];
      if (parts) groups.push_back({leaf, leaf, above[leaf]});
      groups.back().end = leaf + 1;
      of_leaf[leaf] = static_cast<std::uint32_t>(groups.size() - 1);
    }
    if (groups.size() == groups_.back().size()) continue;
    groups_.push_back(std::move(groups));
    group_of_.push_back(std::move(of_leaf));
    machine_level_.push_back(level);
  }
}

}  // namespace numatch
