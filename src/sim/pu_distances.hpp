// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "mapping/mapper.hpp"
#include "sim/machine_config.hpp"

namespace numatch::sim {

/// What sharing costs two PUs of the simulated machine: cycles until a line that lies in the other
/// one's caches has come, while nothing else is under way. On one chip that is the way to the first
/// cache that both use; else the way through all caches of both, the request over the links to the
/// other's node, and the line back. Two different PUs are at least 1 cycle apart; a PU is 0 from
/// itself.
///
/// nullopt where the tree of the machine says the same in order: all PUs that part at a level are
/// equally far apart, farther than those that part deeper. The tree's distances are then as good.
std::optional<distance_table> pu_distances(const topology& machine, const machine_config& config);

}  // namespace numatch::sim
