// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/cpu_mask.hpp"
#include "mapping/mapping_file.hpp"
#include "topology/topology.hpp"

namespace numatch::live {

/// A mapping in the numbers of this machine's operating system.
struct pin_plan {
  /// Per thread in the order of creation; empty: the thread runs where the process may.
  std::vector<std::optional<unsigned>> cpu_of_thread;
  cpu_mask allowed;                        ///< of the process
  std::vector<unsigned> interleave_nodes;  ///< empty: first touch
  std::vector<std::string> notes;          ///< what of the mapping cannot be had here, and why
};

/// `machine` is the live one. A PU that it does not have is an error; a processor that this process
/// must not use, or a page policy on a single node, is left out with a note.
result<pin_plan> plan_pins(const saved_mapping& mapping, const topology& machine,
                           const cpu_mask& allowed);

}  // namespace numatch::live
