// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/result.hpp"

// Simulated runs of one program on one machine as text, JSON and CSV. docs/simulate.md says what
// each row means.

namespace numatch::report {

struct simulation {
  std::string program;  ///< its command, or the trace's name
  std::size_t threads = 0;
  std::string machine;
  std::map<std::string, std::string> settings;  ///< of the machine, where not as described
  std::uint64_t seed = 1;
  std::uint64_t phase_cycles = 0;
  double time_scale = 1;
  bool region_of_interest = false;
  std::vector<std::string> notes;     ///< whole sentences about this simulation
  std::vector<sim::run_result> runs;  ///< the first is the baseline; at least one
};

/// The relative change of `value` against `base`: "-12.3 %", "=" where nothing changed, "x 12.3"
/// from ten times on, "" where the base is 0. At most 8 columns.
std::string change(double value, double base);

/// A column per run for up to four runs, else a line per run; at most 100 columns wide.
std::string text_simulation(const simulation& done);
/// Always a line per run.
std::string text_simulation_in_short(const simulation& done);
/// Equal simulations give equal bytes.
std::string json_simulation(const simulation& done);

/// The runs' timelines and decisions: CSV with one header line, or JSON.
std::string csv_timeline(const simulation& done);
std::string json_timeline(const simulation& done);

}  // namespace numatch::report
