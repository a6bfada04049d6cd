// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "cli/simulate_request.hpp"
#include "cli/simulate_sweep.hpp"
#include "report/simulation_sweep.hpp"

namespace numatch::cli {

struct planned_request {
  swept_request asked;
  simulate_plan plan;
};

/// The user's request first, then the points of its sweeps. Errors as of plan_of() and sweep_of().
result<std::vector<planned_request>> plans_of(const simulate_request& request,
                                              const std::vector<std::string>& sweeps,
                                              bool sensitivity);

struct simulated {
  int signal = 0;  ///< what ended it early; then there is no result
  report::simulation stated;
  std::vector<report::sweep_point> points;
};

/// Simulates a recorded program by all plans, with a progress line; INT and its like end it early.
result<simulated> simulate_plans(const std::filesystem::path& trace,
                                 std::span<const planned_request> plans, unsigned jobs,
                                 console& terminal);

}  // namespace numatch::cli
