// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare/findings.hpp"

namespace numatch::cli {

/// What `numatch compare` shows.
struct shown_comparison {
  std::vector<std::string> command;
  std::string machine;  ///< "2 NUMA nodes, 8 processors, Linux 6.12.48"
  compare::experiment_plan plan;
  std::size_t threads = 1;  ///< of the program
  std::vector<compare::method_runs> methods;
  std::vector<compare::figure_findings> findings;
  std::vector<std::pair<std::string, std::string>> left_out;  ///< method and reason
  std::vector<std::string> missing;                           ///< figures, with the reason
};

/// For a terminal: per figure the methods with mean, interval, ratio and verdict.
std::string comparison_text(const shown_comparison& shown);
/// One JSON object (docs/compare.md), every single run included; ends with a newline.
std::string comparison_json(const shown_comparison& shown);

}  // namespace numatch::cli
