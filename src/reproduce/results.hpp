// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pattern/sharing_matrix.hpp"
#include "reproduce/run_facts.hpp"
#include "reproduce/suite.hpp"

namespace numatch::reproduce {

/// One run that a paper's tables need of every program.
struct wanted_run {
  std::string mechanism;  ///< empty: the baseline
  std::string half;       ///< "threads", "pages", or both where it is empty
  /// "baseline", "lapt", "lapt (pages)"
  std::string name() const;
  friend bool operator==(const wanted_run&, const wanted_run&) = default;
};

/// The baseline first, each mechanism in the order of the paper, its halves behind it.
std::vector<wanted_run> runs_of(const suite_paper& paper);

/// What was found of one program.
struct program_results {
  std::string failure;  ///< why it has no runs; empty where it has
  /// By machine and wanted_run::name(): papers share what is the same.
  std::map<std::pair<std::string, std::string>, run_facts> runs;
  std::map<std::pair<std::string, std::string>, std::string> failed_runs;  ///< with the reason
  std::map<std::string, sharing_matrix> sharing;                           ///< by detector
};

struct suite_results {
  suite of;
  suite_class size;
  std::vector<std::string> papers;  ///< asked for
  std::uint64_t seed = 1;
  std::map<std::string, program_results> programs;
};

}  // namespace numatch::reproduce
