// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "topology/topology.hpp"

namespace numatch::report {

/// The machine that a report places threads and pages on, and why this one.
struct machine_choice {
  std::string spec;
  std::string reason;  ///< "as asked", ...
  topology machine;
};

/// `spec` as topology::load() takes it. Empty: this machine where it has at least two NUMA nodes,
/// else one of 4 nodes with as many cores as the threads need (at least 2 and at most 64 per node).
result<machine_choice> choose_machine(std::string_view spec, std::size_t threads);

}  // namespace numatch::report
