// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "live/cpu_mask.hpp"
#include "topology/topology.hpp"

namespace numatch::compare {

/// The PUs of the live machine that a process may use, in the machine's order.
inline std::vector<pu_id> allowed_pus(const topology& machine, const live::cpu_mask& allowed) {
  std::vector<pu_id> pus;
  for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
    if (allowed.has(machine.os_index(pu_id(pu)))) pus.emplace_back(pu);
  }
  return pus;
}

}  // namespace numatch::compare
