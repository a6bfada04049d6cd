// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/counters.hpp"
#include "compare/energy_meter.hpp"
#include "compare/experiment.hpp"
#include "compare/kept_setting.hpp"

namespace numatch::compare {

/// Runs a command on this machine (live/pinned_run.hpp) and measures it. The program reads nothing
/// and its output is not shown; what it says about a failure becomes part of the error.
/// For a process with one thread.
class live_runner : public program_runner {
 public:
  /// With `same_output` a run that prints something else than the first one is an error.
  live_runner(std::vector<std::string> command, bool same_output);
  /// The numatch that manages programs; this process's own unless said.
  void set_manager(std::string numatch) { manager_ = std::move(numatch); }

  result<run_figures> run(const run_setup& setup) override;

  /// Threads that the last run started, and those that the system did not let us pin in all runs.
  std::size_t threads() const { return threads_; }
  std::size_t refused() const { return refused_; }
  /// From now on runs may change kernel.numa_balancing; false: this user may not.
  bool may_set_balancing();
  /// What cannot be measured here and why, one line each.
  std::vector<std::string> missing() const;

 private:
  result<void> check_output(int output);

  std::vector<std::string> command_;
  std::string manager_ = "/proc/self/exe";
  bool same_output_;
  std::optional<std::string> first_output_;
  std::optional<kept_setting> balancing_;
  counters counters_;
  energy_meter energy_;
  std::size_t threads_ = 0;
  std::size_t refused_ = 0;
};

}  // namespace numatch::compare
