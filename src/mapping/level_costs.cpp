// SPDX-License-Identifier: Apache-2.0
#include "mapping/level_costs.hpp"

#include <algorithm>

namespace numatch {

level_costs costs_by_level(const topology& machine, const distance_table& distances) {
  const std::size_t depth = machine.depth();
  if (distances.counts_hops()) {
    level_costs hops{std::vector<double>(depth), true};
    for (std::size_t l = 0; l < depth; ++l) hops.cost[l] = 2 * static_cast<double>(depth - l);
    return hops;
  }
  std::vector<double> sum(depth, 0);
  std::vector<double> pairs(depth, 0);
  std::vector<double> first(depth, -1);
  level_costs costs{std::vector<double>(depth, 0), true};
  for (std::uint32_t a = 0; a < machine.pu_count(); ++a) {
    for (std::uint32_t b = 0; b < machine.pu_count(); ++b) {
      if (a == b) continue;
      const std::size_t level = depth - machine.distance(pu_id(a), pu_id(b)) / 2;
      const double d = distances.at(pu_id(a), pu_id(b));
      if (first[level] < 0) first[level] = d;
      if (d != first[level]) costs.exact = false;
      sum[level] += d;
      pairs[level] += 1;
    }
  }
  for (std::size_t l = 0; l < depth; ++l) costs.cost[l] = pairs[l] > 0 ? sum[l] / pairs[l] : 0;
  const bool falling = std::adjacent_find(costs.cost.begin(), costs.cost.end(),
                                          std::less_equal<>()) == costs.cost.end();
  if (!falling || (depth > 0 && costs.cost.back() <= 0)) costs.exact = false;
  return costs;
}

}  // namespace numatch
