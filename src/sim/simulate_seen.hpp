// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "pattern/sharing_matrix.hpp"
#include "sim/simulate.hpp"

namespace numatch::sim {

struct seen_run {
  run_result run;
  sharing_matrix
      sharing;  ///< what the mechanism had counted when what counts ended; empty without one
};

/// simulate(), with what the mechanisms have seen.
result<std::vector<seen_run>> simulate_seen(const topology& machine, const machine_config& config,
                                            const program& traced,
                                            std::span<const run_options> runs, unsigned jobs,
                                            const progress_call& progress,
                                            const std::atomic<bool>& stop);

}  // namespace numatch::sim
