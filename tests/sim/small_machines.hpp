// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/machine_config.hpp"

namespace numatch::sim {

/// How many of what; a chip is what shares a last level.
struct machine_shape {
  unsigned nodes = 1;
  unsigned chips = 1;  ///< per node
  unsigned cores = 2;  ///< per chip
  unsigned pus = 1;    ///< per core

  unsigned all_pus() const { return nodes * chips * cores * pus; }
};

/// PUs in groups of neighbours.
sharing_groups groups_of(unsigned pus, unsigned neighbours);

/// A machine with caches so small that a handful of lines collide, and numbers that tell what made
/// a sum: nodes in a ring of links (latency 40, 16 bytes per cycle), pages of 1 KiB = 16 lines;
/// first level of each core 2 sets × 2 ways, last level of each chip 4 sets × 2 ways (latency 5,
/// and 1 to each side within the chip); one TLB per core (2 sets × 2 ways); one memory channel of 2
/// banks with rows of 4 lines. An access stalls 1 cycle, a walk 30, a fault 1000.
machine_config small_machine(machine_shape shape);

/// Puts a level in the middle: 2 sets × 3 ways of its own for so many neighbours, latency 3.
void add_middle_level(machine_config& machine, unsigned neighbours, bool inclusive);
/// Two sets of four ways for so many neighbours, latency 8.
void add_second_tlb(machine_config& machine, unsigned neighbours);

/// Chips get stops in a ring of links of one cycle: their cores, banks of the last level that are
/// busy as long as a lookup takes, and the gate, in this order.
void add_stops(machine_config& machine, unsigned banks, double bytes_per_cycle);

/// The shape as `topology::load` takes it.
std::string topology_text(machine_shape shape);

}  // namespace numatch::sim
