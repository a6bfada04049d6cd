// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/limits.hpp"

namespace numatch::engine {

/// How many threads every leaf of the tree may hold so that any way to fill the slots with threads
/// of equal weight keeps the limits. At least one slot per thread in all; slots to spare let
/// the cost decide which leaves stay empty.
std::vector<std::uint32_t> slots_of_leaves(const load_limits& limits, const pu_tree& tree);

}  // namespace numatch::engine
