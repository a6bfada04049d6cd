// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mapping/mapper.hpp"

namespace numatch {

/// Distances seen along the tree: cost[l] is what two PUs pay that part at level l (0: they are
/// under different children of the root).
struct level_costs {
  std::vector<double> cost;  ///< mean over all pairs that part there
  bool exact = false;        ///< all pairs of a level cost the same, and less the deeper they part
};

level_costs costs_by_level(const topology& machine, const distance_table& distances);

}  // namespace numatch
