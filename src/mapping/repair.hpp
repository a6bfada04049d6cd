// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/limits.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch {

/// Makes a mapping keep its limits: pinned threads go where they belong, then threads leave parts
/// of the machine that hold too much, the largest parts first, each time by the move that raises
/// the cost least (lowest leaf, then lowest thread on a tie). Where single moves do not get there
/// (weights can be so), the mapping becomes the witness of the limits. Deterministic.
///
/// leaf_of[thread] are leaves of `tree`. `graph` is that of the request's sharing.
void repair(std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
            const pu_tree& tree, const load_limits& limits, const sharing_graph& graph);

}  // namespace numatch
