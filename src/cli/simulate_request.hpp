// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mechanism/mechanism.hpp"
#include "sim/machine_config.hpp"
#include "sim/simulate.hpp"
#include "topology/topology.hpp"
#include "trace/reader.hpp"

// From the options of `numatch simulate` to the runs that they ask for.

namespace numatch::cli {

/// What the user asked for, as it was written.
struct simulate_request {
  std::string machine = "simics-4x2";
  std::vector<std::string> mechanisms;  ///< each may be several with commas between
  std::string baseline = "os";
  std::string only;
  std::vector<std::string> parameters;  ///< [MECHANISM:]NAME=VALUE; later ones win
  std::vector<std::string> settings;    ///< KEY=VALUE; later ones win
  std::string threads;                  ///< empty: the machine's own
  std::string pages;
  std::uint64_t seed = 1;
  std::uint64_t phase_cycles = 20'000;
  double time_scale = 1;
  bool region_of_interest = false;
  std::uint64_t timeline_cycles = 0;
};

/// Binds the options that fill the request.
void add_options(CLI::App& app, simulate_request& request);

/// A checked request.
struct simulate_plan {
  topology machine;
  sim::machine_config config;
  std::map<std::string, std::string> settings;
  std::vector<sim::run_options> runs;  ///< the baseline first
};

/// Everything that can be checked without a program. Errors: unknown machine, mechanism, parameter,
/// key or word (with the nearest name), a value that does not fit, a mechanism that the simulated
/// machine cannot serve, options that do not go together.
result<simulate_plan> plan_of(const simulate_request& request);

/// Errors: no access, more threads than a mechanism tells apart.
result<void> check_trace(const simulate_plan& plan, const trace::reader& trace);

/// What a reader of the results should know about the trace beforehand, in whole sentences.
std::vector<std::string> notes_on(const simulate_request& request, const simulate_plan& plan,
                                  const trace::reader& trace, const sim::program& traced);

}  // namespace numatch::cli
