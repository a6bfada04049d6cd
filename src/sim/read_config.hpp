// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "sim/machine_config.hpp"
#include "topology/topology.hpp"

namespace numatch::sim {

inline constexpr std::size_t most_chips = 64;
inline constexpr std::size_t most_simulated_pus = 1024;

/// The numbers of a machine: from its facts where it has a description, from what hwloc knows of
/// its caches, and for the rest those of simics-4x2 (docs/simulated-machine.md, "The numbers").
/// Errors name machine and key, with what would be right: more chips (last-level caches) or PUs
/// than the limits above, and whatever read_caches(), read_network() and read_memory() refuse.
result<machine_config> read_config(const topology& machine);

}  // namespace numatch::sim
