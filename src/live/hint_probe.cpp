// SPDX-License-Identifier: Apache-2.0
#include "live/hint_probe.hpp"

#include <algorithm>

#include "live/sees_faults.hpp"

namespace numatch::live {

availability probe_hint_faults(const system_facts& here) {
  if (!here.numa_balancing) return {false, "the kernel has no NUMA balancing", ""};
  const std::ptrdiff_t with_memory =
      std::count_if(here.nodes.begin(), here.nodes.end(),
                    [](const node_facts& node) { return node.memory_bytes != 0; });
  if (with_memory < 2) return {false, "this machine has one NUMA node", ""};
  // Bit 0 is the ordinary mode; 2 alone only moves pages between kinds of memory.
  if ((*here.numa_balancing & 1) == 0) {
    return {false, "NUMA balancing is off", "sysctl kernel.numa_balancing=1"};
  }
  return sees_faults(here);
}

}  // namespace numatch::live
