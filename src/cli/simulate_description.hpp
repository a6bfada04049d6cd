// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/simulate_request.hpp"
#include "report/simulation.hpp"
#include "sim/program.hpp"
#include "sim/result.hpp"
#include "trace/reader.hpp"

namespace numatch::cli {

/// What is said about the finished runs of a plan, in its order: what was asked for, of which
/// program, and the notes that a reader of the numbers needs.
report::simulation describe_runs(const simulate_request& request, const simulate_plan& plan,
                                 const trace::reader& trace, const sim::program& traced,
                                 std::vector<sim::run_result> runs);

}  // namespace numatch::cli
