// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/reproduce_runs.hpp"
#include "cli/simulate_request.hpp"
#include "reproduce/results.hpp"

namespace numatch::cli {

/// A run of some programs, as `numatch simulate` would make it.
struct planned_run {
  reproduce::wanted_run run;
  simulate_plan plan;
  std::set<std::string> programs;
  bool shows_sharing = false;  ///< what the mechanism counted is part of a page
};

struct reproduce_plan {
  std::vector<planned_run> runs;                    ///< each once
  std::map<std::string, std::uint64_t> page_sizes;  ///< bytes of the page sizes that are swept
  bool needs(const std::string& program) const;
};

/// The runs of all papers that were asked for. Errors: a mechanism, machine, parameter or setting
/// of the suite that does not exist or fit.
result<reproduce_plan> plan_suite(const reproduce_request& request);

/// The suite with the programs that were asked for alone, and those that its papers run instead of
/// them.
reproduce::suite asked_suite(const reproduce_request& request);

/// The papers that were asked for.
std::vector<reproduce::suite_paper> asked_papers(const reproduce_request& request);

/// Whether a recorded program has all that the detector needs; others need a machine.
bool can_be_looked_up(const std::string& detector);

}  // namespace numatch::cli
