// SPDX-License-Identifier: Apache-2.0
#include "sim/small_machines.hpp"

#include <fmt/format.h>

namespace numatch::sim {

namespace {

/// A ring in both directions; the way to the opposite node goes upwards.
network_config ring(unsigned nodes, unsigned latency, double bytes_per_cycle) {
  network_config made;
  made.control_bytes = 8;
  made.data_bytes = 72;
  const unsigned directions = nodes < 2 ? 0 : nodes == 2 ? 1 : 2;
  for (unsigned up = 0; up < directions; ++up) {
    for (unsigned from = 0; from < nodes; ++from) {
      const unsigned to = (from + (up == 0 ? 1 : nodes - 1)) % nodes;
      made.links.push_back({from, to, latency, bytes_per_cycle});
    }
  }
  made.route.assign(nodes, std::vector<std::vector<unsigned>>(nodes));
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      const unsigned hops_up = (to + nodes - from) % nodes;
      const bool goes_up = hops_up <= nodes / 2;
      const unsigned hops = goes_up ? hops_up : nodes - hops_up;
      for (unsigned hop = 0; hop < hops; ++hop) {
        made.route[from][to].push_back(goes_up ? (from + hop) % nodes
                                               : nodes + (from + nodes - hop) % nodes);
      }
    }
  }
  return made;
}

}  // namespace

sharing_groups groups_of(unsigned pus, unsigned neighbours) {
  sharing_groups made;
  for (unsigned pu = 0; pu < pus; ++pu) made.group.push_back(pu / neighbours);
  made.count = (pus + neighbours - 1) / neighbours;
  return made;
}

machine_config small_machine(machine_shape shape) {
  const unsigned pus = shape.all_pus();
  const unsigned per_chip = shape.cores * shape.pus;
  machine_config made;
  made.name = topology_text(shape);
  made.line_bytes = 64;
  made.page_bytes = 1024;
  made.nodes = shape.nodes;
  for (unsigned pu = 0; pu < pus; ++pu) made.node_of_pu.push_back(pu / (per_chip * shape.chips));
  made.core.access_stall = 1;
  made.cores = groups_of(pus, shape.pus);
  made.tlbs = {{4, 2, 0, groups_of(pus, shape.pus)}};
  made.caches = {{1, 256, 2, 1, 2, true, groups_of(pus, shape.pus)},
                 {2, 512, 2, 1, 5, true, groups_of(pus, per_chip)}};
  made.network = ring(shape.nodes, 40, 16);
  made.inside.hop = 1;
  made.memory.channels = 1;
  made.memory.banks = 2;
  made.memory.row_bytes = 256;
  made.memory.row_hit = 27;
  made.memory.row_closed = 54;
  made.memory.row_conflict = 81;
  made.memory.burst = 12;
  made.os.page_walk = 30;
  made.os.page_fault = 1000;
  return made;
}

void add_middle_level(machine_config& machine, unsigned neighbours, bool inclusive) {
  const unsigned pus = static_cast<unsigned>(machine.pus());
  machine.caches.insert(machine.caches.begin() + 1,
                        {2, 384, 3, 1, 3, inclusive, groups_of(pus, neighbours)});
  machine.caches.back().level = 3;
}

void add_second_tlb(machine_config& machine, unsigned neighbours) {
  const unsigned pus = static_cast<unsigned>(machine.pus());
  machine.tlbs.push_back({8, 4, 8, groups_of(pus, neighbours)});
}

void add_stops(machine_config& machine, unsigned banks, double bytes_per_cycle) {
  machine.caches.back().banks = banks;
  machine.inside.bank_busy = machine.caches.back().latency;
  const std::vector<unsigned>& chips = machine.caches.back().shared.group;
  const std::vector<unsigned>& cores = machine.caches.front().shared.group;
  machine.inside.stop_of_pu.assign(machine.pus(), 0);
  for (unsigned chip = 0; chip < machine.chips(); ++chip) {
    chip_config made;
    unsigned stops = 0;
    for (std::size_t pu = 0; pu < machine.pus(); ++pu) {
      if (chips[pu] != chip) continue;
      if (pu == 0 || cores[pu] != cores[pu - 1]) ++stops;
      machine.inside.stop_of_pu[pu] = stops - 1;
    }
    for (unsigned bank = 0; bank < banks; ++bank) made.stop_of_bank.push_back(stops++);
    made.gate = stops++;
    made.ways = ring(stops, machine.inside.hop, bytes_per_cycle);
    made.ways.queueing = machine.network.queueing;
    machine.inside.chips.push_back(made);
  }
}

std::string topology_text(machine_shape shape) {
  return fmt::format("numa:{} l3:{} core:{} pu:{}", shape.nodes, shape.chips, shape.cores,
                     shape.pus);
}

}  // namespace numatch::sim
