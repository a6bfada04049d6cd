// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/limits.hpp"

namespace numatch {

/// A thread and the place it would like: an index into an order of leaves.
struct placing_wish {
  std::uint32_t thread = 0;
  std::size_t position = 0;
};

/// Places threads one after another: each on the first leaf of `order`, from its wish on and round,
/// that has room under the limits. Pinned threads are on their PUs from the start. Where a thread
/// finds no room (weights can be so), all take the places of the witness. `order` has every leaf
/// once and `wishes` every thread once.
thread_mapping place_in_turn(const mapping_request& request, const pu_tree& tree,
                             const load_limits& limits, std::span<const std::uint32_t> order,
                             std::span<const placing_wish> wishes);

}  // namespace numatch
