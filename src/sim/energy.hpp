// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/machine_config.hpp"
#include "sim/result.hpp"

namespace numatch::sim {

/// Fills in dynamic_energy and static_energy from the counts of a run. `cache_accesses`: lookups
/// per level, the mechanism's included.
void add_energy(run_result& of, const machine_config& config,
                const std::vector<std::uint64_t>& cache_accesses);

}  // namespace numatch::sim
