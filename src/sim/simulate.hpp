// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "mechanism/mechanism.hpp"
#include "sim/machine_config.hpp"
#include "sim/program.hpp"
#include "sim/result.hpp"
#include "topology/topology.hpp"

namespace numatch::sim {

/// How a program is run on the simulated machine.
struct run_options {
  /// Null: nothing but the operating system.
  const mechanism_entry* mechanism = nullptr;
  std::string name;  ///< of the run in its result; the mechanism's name unless said
  std::map<std::string, std::string> parameters;
  thread_placing threads = thread_placing::linux_like;
  page_placing pages = page_placing::first_touch;
  std::uint64_t seed = 1;
  /// Threads run so many cycles apart before what they share is brought in order; at 1 the order is
  /// exact.
  std::uint64_t phase_cycles = 20'000;
  /// The mechanism's clock runs so many times faster than the machine's, for inputs that are
  /// shorter than its intervals. Its software costs are divided by it, as it would work that much
  /// more rarely.
  double time_scale = 1;
  bool region_of_interest = false;
  /// Length of a piece of the timeline; 0: no timeline.
  std::uint64_t timeline_cycles = 0;
  friend bool operator==(const run_options&, const run_options&) = default;
};

/// Called now and then, from any thread, one call at a time: accesses simulated so far in all runs.
using progress_call = std::function<void(std::uint64_t done)>;

/// Runs the program once for every element of `runs`, in that order in the result; `jobs` host
/// threads work on them. The result does not depend on `jobs`. `stop` ends early with an error.
result<std::vector<run_result>> simulate(const topology& machine, const machine_config& config,
                                         const program& traced, std::span<const run_options> runs,
                                         unsigned jobs, const progress_call& progress,
                                         const std::atomic<bool>& stop);

}  // namespace numatch::sim
