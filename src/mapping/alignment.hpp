// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/pu_tree.hpp"

namespace numatch {

/// Turns a mapping into an equally good one that moves as few threads as possible: equal parts of
/// the machine under one parent (equal shape, all of it allowed) change their threads.
///
/// leaf_of[thread] is the mapping and the result; current_leaf_of[thread] is where the thread runs
/// now, pu_tree::no_leaf where it does not run on an allowed PU. Parts that hold pinned threads
/// stay (`pinned` as in mapping_request), so a mapping that keeps its limits still does.
///
/// The cost stays as it is where distances follow the tree (level_costs::exact): the caller checks
/// it. The fewest moves over all such changes: bottom-up, for two parts of equal shape, the
/// greatest number of threads that stay is an assignment problem over their children.
/// O(threads x arity^3) at worst. Deterministic.
void align_to(std::vector<std::uint32_t>& leaf_of,
              const std::vector<std::uint32_t>& current_leaf_of, const pu_tree& tree,
              std::span<const std::optional<pu_id>> pinned = {});

}  // namespace numatch
