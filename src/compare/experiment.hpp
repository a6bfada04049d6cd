// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compare/figures.hpp"
#include "compare/method.hpp"

namespace numatch::compare {

/// Runs the program once; made by live_runner, and by tests. A program that fails is an error.
class program_runner {
 public:
  virtual ~program_runner() = default;
  virtual result<run_figures> run(const run_setup& setup) = 0;
};

struct experiment_plan {
  std::size_t runs = 30;  ///< of every method, at least 2
  std::uint64_t seed = 1;
};

/// Which method runs when: every round has each method once, in an order drawn anew, so that what
/// drifts (heat, other programs) meets all of them alike. The same seed gives the same orders.
std::vector<std::size_t> drawn_order(std::size_t methods, const experiment_plan& plan);

/// A method's figures, in the order of the rounds.
struct method_runs {
  std::string name;
  std::string summary;
  std::vector<run_figures> runs;
};

using progress_report =
    std::function<void(std::size_t done, std::size_t all, std::string_view now)>;

/// Runs all; an error says in which run. `methods` make sense here; the first is the baseline.
result<std::vector<method_runs>> run_experiment(std::span<const method> methods,
                                                const situation& here, const experiment_plan& plan,
                                                program_runner& runner,
                                                const progress_report& progress);

}  // namespace numatch::compare
