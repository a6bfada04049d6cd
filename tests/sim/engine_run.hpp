// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/every_machine.hpp"
#include "sim/program.hpp"
#include "sim/simulate.hpp"

namespace numatch::sim {

/// Runs on the engine; an error is an exception.
std::vector<run_result> run_engine(const named_machine& machine, const program& code,
                                   const std::vector<run_options>& runs, unsigned jobs = 1);

/// Thread i on PU i, no mechanism.
run_options plain_options(page_placing pages, std::uint64_t phase_cycles);

/// What the model defines, by name.
std::vector<std::pair<std::string, std::uint64_t>> figures_of(const run_result& counts);
/// A line for every figure that differs; empty when all are the same.
std::string differences(const run_result& reference, const run_result& engine);
/// Everything in a result.
std::string text_of(const run_result& result);

}  // namespace numatch::sim
