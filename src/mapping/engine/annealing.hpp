// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mapping/engine/random.hpp"
#include "mapping/engine/swap_table.hpp"

namespace numatch::engine {

/// Simulated annealing by swaps. Temperatures are in the unit of the cost and fall by a constant
/// factor from proposal to proposal.
struct annealing_plan {
  std::uint64_t proposals = 0;
  float hot = 0;
  float cold = 0;
};

/// Ends with a descent. The result can be worse than the start: keep that one too.
void anneal(swap_table& table, const thread_graph& graph, const annealing_plan& plan,
            random_source& random);

}  // namespace numatch::engine
