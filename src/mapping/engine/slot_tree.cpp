// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/slot_tree.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::engine {

namespace {

constexpr double most_cost = 255;  ///< with thread_graph::most_shared the sums stay below 2^31

/// The steps between the costs of the levels as small whole numbers, exactly where they have a
/// common measure (hops, ACPI distances).
std::vector<std::int32_t> whole_steps(std::span<const double> cost, double& unit) {
  std::vector<double> steps;
  for (std::size_t l = 0; l < cost.size(); ++l) {
    steps.push_back(cost[l] - (l + 1 < cost.size() ? cost[l + 1] : 0.0));
  }
  const double least = *std::min_element(steps.begin(), steps.end());
  unit = cost.front() / most_cost;
  for (const double part : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    const double measure = least / part;
    if (cost.front() / measure > most_cost) break;
    const bool fits = std::all_of(steps.begin(), steps.end(), [&](double step) {
      return std::abs(step / measure - std::round(step / measure)) < 1e-6;
    });
    if (!fits) continue;
    unit = measure;
    break;
  }
  std::vector<std::int32_t> whole;
  for (const double step : steps) {
    whole.push_back(std::max(1, static_cast<std::int32_t>(std::lround(step / unit))));
  }
  return whole;
}

}  // namespace

slot_tree::slot_tree(const pu_tree& tree, const level_costs& costs,
                     std::span<const std::uint32_t> slots_of_leaf) {
  for (std::uint32_t leaf = 0; leaf < tree.size(); ++leaf) {
    leaf_of_.insert(leaf_of_.end(), slots_of_leaf[leaf], leaf);
  }
  const bool shared_pus = std::any_of(slots_of_leaf.begin(), slots_of_leaf.end(),
                                      [](std::uint32_t slots) { return slots > 1; });
  const std::size_t kept = tree.levels() - (shared_pus || tree.levels() == 1 ? 0 : 1);
  if (kept <= 1) return;
  std::vector<double> cost;
  for (std::size_t l = 1; l < kept; ++l) cost.push_back(costs.cost[tree.machine_level(l)]);
  // Without the PUs' own level, its cost is paid by every pair and decides nothing.
  if (!shared_pus) {
    const double always = costs.cost[tree.machine_level(kept)];
    for (double& c : cost) c -= always;
  }
  const std::vector<std::int32_t> weights = whole_steps(cost, unit_);
  std::vector<std::uint32_t> group_of(size());
  for (std::size_t l = 1; l < kept; ++l) {
    for (std::size_t slot = 0; slot < size(); ++slot) {
      group_of[slot] = tree.group_of(l, leaf_of_[slot]);
    }
    add_level(weights[l - 1], group_of);
  }
}

/// Groups are ranges of slots with the same number; numbers of groups without slots may be missing.
void slot_tree::add_level(std::int32_t weight, const std::vector<std::uint32_t>& group_of_slot) {
  level next;
  next.weight = weight;
  next.group_of.reserve(size());
  for (std::uint32_t slot = 0; slot < size(); ++slot) {
    if (slot == 0 || group_of_slot[slot] != group_of_slot[slot - 1]) {
      next.first.push_back(slot);
      next.parent.push_back(levels_.empty() ? 0 : levels_.back().group_of[slot]);
    }
    next.group_of.push_back(static_cast<std::uint32_t>(next.first.size() - 1));
  }
  next.first.push_back(static_cast<std::uint32_t>(size()));
  diameter_ += weight;
  for (std::int32_t& below : below_) below += weight;
  below_.push_back(0);
  levels_.push_back(std::move(next));
}

slot_tree slot_tree::halved() const {
  slot_tree half;
  half.unit_ = unit_;
  for (std::size_t slot = 0; slot < size(); slot += 2) half.leaf_of_.push_back(leaf_of_[slot]);
  std::vector<std::uint32_t> group_of(half.size());
  for (const level& whole : levels_) {
    const bool even = std::all_of(whole.first.begin(), whole.first.end(),
                                  [](std::uint32_t first) { return first % 2 == 0; });
    if (!even || whole.groups() == half.size()) continue;
    for (std::size_t slot = 0; slot < half.size(); ++slot)
      group_of[slot] = whole.group_of[2 * slot];
    half.add_level(whole.weight, group_of);
  }
  return half;
}

slot_tree slot_tree::above(std::size_t depth) const {
  slot_tree upper;
  upper.unit_ = unit_;
  const std::vector<std::uint32_t>& first = levels_[depth].first;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) upper.leaf_of_.push_back(leaf_of_[first[g]]);
  std::vector<std::uint32_t> group_of(upper.size());
  for (std::size_t l = 0; l < depth; ++l) {
    for (std::size_t g = 0; g < upper.size(); ++g) group_of[g] = levels_[l].group_of[first[g]];
    upper.add_level(levels_[l].weight, group_of);
  }
  return upper;
}

}  // namespace numatch::engine
