// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/cpu_mask.hpp"
#include "live/pin_plan.hpp"
#include "topology/topology.hpp"

namespace numatch::compare {

/// Where and what is compared. The machine must outlive it.
struct situation {
  const topology& machine;         ///< the live one
  live::cpu_mask allowed;          ///< processors that this process may use
  std::size_t threads = 1;         ///< of the program
  std::optional<int> balancing{};  ///< kernel.numa_balancing as it was found; nullopt: not built in
  bool may_set_balancing = false;
  std::string no_sensor{};  ///< why nothing can watch a running program here; empty: something can
};

/// How one run is started.
struct run_setup {
  live::pin_plan plan;
  std::optional<int> balancing;  ///< kernel.numa_balancing for this run; nullopt: as it was found
  bool managed = false;          ///< under `numatch run`, whose own time counts
};

/// A way to run a program.
struct method {
  std::string name;
  std::string summary;
  /// Why it makes no sense here, one clause; empty: it does.
  std::function<std::string(const situation&)> why_not;
  /// Each run has a seed of its own.
  std::function<result<run_setup>(const situation&, std::uint64_t seed)> prepare;
};

/// The methods that need no knowledge of the program; the first one, "default", is what the others
/// are compared with.
std::vector<method> usual_methods();

/// A mapping of `numatch map -o`, or a profile, which is mapped onto the machine at once. Its name
/// is the file's; notes say what of the mapping cannot be had here. Errors name the file.
struct file_method {
  method how;
  std::vector<std::string> notes;
};
result<file_method> method_of_file(const std::string& path, const situation& here);

}  // namespace numatch::compare
