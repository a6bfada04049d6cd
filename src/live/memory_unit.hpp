// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/system_tree.hpp"

namespace numatch::live {

/// An event of a processor's unit, as perf_event_attr wants it.
struct memory_event {
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
};

/// What of a processor samples accesses to memory with their addresses: Intel's PEBS, AMD's IBS or
/// Arm's SPE. A processor with two kinds of cores has two.
struct memory_unit {
  enum class maker : std::uint8_t { pebs, ibs, spe };
  maker by = maker::pebs;
  std::string name;  ///< of its folder: "cpu", "cpu_core", "ibs_op", "arm_spe_0"
  std::uint32_t type = 0;
  std::vector<memory_event> events;    ///< to be sampled; empty: by other means than samples
  std::optional<memory_event> leader;  ///< must lead the group of the first event
  bool leaves_kernel_out = true;       ///< the unit can sample user code alone
};

/// Those that the kernel names in /sys/bus/event_source/devices, sorted by name. What a folder says
/// wrongly or not at all leaves its unit out.
std::vector<memory_unit> memory_units(const system_tree& tree);

/// Adds the bits of `value` to the event where `format` ("config:0-7,32-35", "config1:0-15") says;
/// false when nobody understands it.
bool encode(std::uint64_t value, const std::string& format, memory_event& event);

}  // namespace numatch::live
