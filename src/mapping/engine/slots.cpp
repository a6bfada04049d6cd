// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/slots.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace numatch::engine {

namespace {

/// When every level is limited the witness shows how many threads belong where.
bool every_level_is_limited(const load_limits& limits) {
  return std::all_of(limits.limit.begin(), limits.limit.end(),
                     [](const std::vector<double>& level) { return std::isfinite(level.front()); });
}

}  // namespace

std::vector<std::uint32_t> slots_of_leaves(const load_limits& limits, const pu_tree& tree) {
  const std::uint32_t threads = static_cast<std::uint32_t>(limits.witness.size());
  std::vector<std::uint32_t> slots(tree.size(), 0);
  if (every_level_is_limited(limits)) {
    for (const std::uint32_t leaf : limits.witness) ++slots[leaf];
    return slots;
  }
  const std::vector<double>& of_leaves = limits.limit.back();
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    const double most = std::min(std::floor(of_leaves[leaf] + 1e-6), static_cast<double>(threads));
    slots[leaf] = static_cast<std::uint32_t>(std::max(most, 1.0));
  }
  // From the smallest groups up: a group that could hold too many loses the slots of its last
  // leaves.
  for (std::size_t level = tree.levels() - 1; level-- > 0;) {
    if (!std::isfinite(limits.limit[level].front())) continue;
    for (std::size_t g = 0; g < tree.groups(level).size(); ++g) {
      const pu_tree::group& group = tree.groups(level)[g];
      const std::uint32_t most =
          static_cast<std::uint32_t>(std::floor(limits.limit[level][g] + 1e-6));
      std::uint32_t sum =
          std::accumulate(slots.begin() + group.first, slots.begin() + group.end, 0U);
      for (std::uint32_t leaf = group.end; sum > most;) {
        --leaf;
        const std::uint32_t excess = std::min(slots[leaf], sum - most);
        slots[leaf] -= excess;
        sum -= excess;
      }
    }
  }
  return slots;
}

}  // namespace numatch::engine
