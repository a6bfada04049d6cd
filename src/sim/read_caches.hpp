// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"
#include "topology/topology.hpp"

// The caches of a machine description. Errors are left with the reader.

namespace numatch::sim {

/// PUs of one core.
sharing_groups core_groups(const topology& machine);

/// The levels of `levels`, or where there are none a private L1 and an L2 of every node. Sizes that
/// neither the facts nor the machine state are defaults (docs/simulated-machine.md). Errors: a PU
/// without a cache of a level, lines of different or odd size, sizes that are no whole number of
/// sets, a level that is shared by fewer than the level above it or by PUs of several nodes, facts
/// of a level that the machine does not have.
std::vector<cache_config> read_caches(fact_reader& facts, const topology& machine,
                                      const std::vector<cache_level>& levels);

/// The bytes of a line of every level.
unsigned read_line_bytes(fact_reader& facts, const std::vector<cache_level>& levels);

}  // namespace numatch::sim
