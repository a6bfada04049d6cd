// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "live/observed_process.hpp"

namespace numatch::live {

/// A mapping and the memory policy of its pages (/proc/PID/numa_maps, numa(7)).
struct policy_range {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  std::string policy;  ///< "default", "bind:0-1", "prefer (many)=balancing:2"
};

/// Lines of numa_maps have no end, which comes from the mappings (in the order of their addresses);
/// a line without mapping is left out.
std::vector<policy_range> policy_ranges(std::string_view numa_maps,
                                        std::span<const mapped_range> mappings);
/// Of a process; an error when it has ended or the kernel has no NUMA.
result<std::vector<policy_range>> read_policies(const observed_process& process);

/// A policy that numatch sets: bound to or preferring nodes, with the flag for NUMA balancing
/// (which older kernels do not print) and no other flag; or "local", while it looks where pages
/// are.
bool is_hint_policy(std::string_view policy);

}  // namespace numatch::live
