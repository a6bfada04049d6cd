// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/simulation.hpp"

// The same runs again with something changed: how much does that move the result?

namespace numatch::report {

struct sweep_point {
  std::string key;                    ///< "tlb.walk", "seed"; points of a key are together
  std::string value;                  ///< "60 cycles"
  std::vector<sim::run_result> runs;  ///< as many as the simulation has, the first is the baseline
};

/// A line per point: execution time and traffic of each run against the baseline of the same point;
/// and the range of these changes for each key. At most 100 columns wide.
std::string text_sweep(const simulation& as_stated, std::span<const sweep_point> points);
/// Equal input gives equal bytes.
std::string json_sweep(const simulation& as_stated, std::span<const sweep_point> points);

}  // namespace numatch::report
