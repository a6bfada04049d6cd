// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reproduce/page.hpp"

namespace numatch::reproduce {

bool has_program(const suite_paper& paper, const std::string& program);

/// The programs of a paper that were asked for, in the order of the suite.
std::vector<std::string> programs_of(const suite_results& results, const suite_paper& paper);

/// What is known of a run; null where it is not there.
const run_facts* facts_of(const suite_results& results, const std::string& program,
                          const wanted_run& run);

/// The sweeps of a paper that are for the class of the results.
std::vector<page_sweep> sweeps_of(const suite_results& results, const suite_paper& paper);

}  // namespace numatch::reproduce
