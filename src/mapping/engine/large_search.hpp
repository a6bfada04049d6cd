// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/engine/search.hpp"

namespace numatch::engine {

/// Above so many vertices tables of all pairs no longer pay.
inline constexpr std::size_t most_in_tables = 1024;

/// Maps large graphs: from the top down and along a line, each followed by swaps that go through
/// edges; the best is regrouped. Returns its vertex_at[slot].
std::vector<std::uint32_t> search_large(const slot_tree& tree, const thread_graph& graph,
                                        mapping_budget budget, random_source& random);

}  // namespace numatch::engine
