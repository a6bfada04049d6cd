// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pattern/sharing_matrix.hpp"
#include "reproduce/run_facts.hpp"
#include "reproduce/suite.hpp"

namespace numatch::reproduce {

/// One simulation that a paper's tables need of a program, in the words of `numatch simulate`.
struct wanted_run {
  std::string title;  ///< of its column: "baseline", "lapt", "lapt (pages)"
  std::string machine;
  std::vector<std::string> settings;
  double time_scale = 1;
  std::string mechanism;  ///< empty: none
  std::string half;       ///< "threads", "pages", or both where it is empty
  std::vector<std::string> parameters;
  std::optional<bool> region_of_interest;      ///< else as the program says
  std::map<std::string, std::string> instead;  ///< as suite_run::instead
  /// What is simulated and how, but not of which program: runs with the same key are the same.
  std::string key() const;
  /// The program that runs in the place of this one; empty where there is none.
  std::string program_for(const std::string& program) const;
};

/// The paper's own class of that name, else the suite's.
const suite_class& size_for(const suite_paper& paper, const suite_class& size);

/// The baseline first (unless a program is the baseline of the others), each mechanism in the order
/// of the paper, its halves behind it, then the paper's own runs.
std::vector<wanted_run> runs_of(const suite_paper& paper, const suite_class& size);

struct sweep_point {
  std::string value;
  std::vector<wanted_run> runs;  ///< the baseline, then those of the sweep
};
/// None where the sweep is not for this class.
std::vector<sweep_point> points_of(const suite_paper& paper, const suite_sweep& sweep,
                                   const suite_class& size);

struct failed_run {
  std::string title;
  std::string reason;
};

/// What was found of one program.
struct program_results {
  std::string failure;                             ///< why it has no runs; empty where it has
  std::map<std::string, run_facts> runs;           ///< by wanted_run::key()
  std::map<std::string, failed_run> failed_runs;   ///< by the same key
  std::map<std::string, sharing_matrix> sharing;   ///< by detector
  std::map<std::string, sharing_matrix> seen;      ///< by wanted_run::key(), at the run's end
  std::map<std::string, double> exclusivity;       ///< by page size as the sweep has it, 0..1
  std::map<std::string, failed_run> failed_looks;  ///< for sharing and exclusivity
  bool counts_instructions = true;                 ///< else each access is taken for one
};

struct suite_results {
  suite of;
  suite_class size;
  std::vector<std::string> papers;  ///< asked for
  std::uint64_t seed = 1;
  std::map<std::string, program_results> programs;
};

}  // namespace numatch::reproduce
