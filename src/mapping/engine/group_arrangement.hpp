// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/mapper.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch::engine {

/// Gives whole groups of the tree other places: where distances do not follow the tree it matters
/// which socket is where. For each level, the groups' sharing in sum and the mean distances between
/// their places make a small quadratic assignment problem; it is solved by swaps of two groups from
/// several random orders. Goes down the levels above the PUs as long as their groups
/// are equally large and few. Does not look at limits or pins.
void arrange_groups(std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
                    const pu_tree& tree, random_source& random);

}  // namespace numatch::engine
