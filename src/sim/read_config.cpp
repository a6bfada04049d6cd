// SPDX-License-Identifier: Apache-2.0
#include "sim/read_config.hpp"

#include <fmt/format.h>

#include "sim/fact_reader.hpp"
#include "sim/read_caches.hpp"
#include "sim/read_energy.hpp"
#include "sim/read_inside.hpp"
#include "sim/read_memory.hpp"
#include "sim/read_network.hpp"
#include "sim/read_tlbs.hpp"

namespace numatch::sim {

namespace {

core_config read_core(fact_reader& facts) {
  core_config core;
  core.hertz = facts.hertz();
  core.access_stall = facts.cycles("core.access_stall", core.access_stall);
  core.overlap = facts.count("core.overlap", core.overlap);
  core.overlap_window = facts.count("core.overlap_window", core.overlap_window);
  return core;
}

os_config read_os(fact_reader& facts) {
  os_config os;
  os.page_walk = facts.cycles("tlb.walk", os.page_walk);
  os.page_fault = facts.cycles("os.page_fault", os.page_fault);
  os.induced_fault = facts.cycles("os.induced_fault", os.induced_fault);
  os.page_move = facts.cycles("os.page_move", os.page_move);
  os.shootdown = facts.cycles("os.shootdown", os.shootdown);
  os.thread_move = facts.cycles("os.thread_move", os.thread_move);
  os.context_switch = facts.cycles("os.context_switch", os.context_switch);
  os.time_slice = facts.cycles("os.time_slice", os.time_slice);
  os.map_threads = facts.cycles("os.map_threads", os.map_threads);
  os.scan_page = facts.cycles("os.scan_page", os.scan_page);
  os.take_sample = facts.cycles("os.take_sample", os.take_sample);
  return os;
}

/// What a stated latency of local memory has beyond the lookups of the caches, the way inside the
/// chip and a closed row.
unsigned controller_cycles(fact_reader& facts, const machine_config& config) {
  if (!facts.has("memory.local_latency")) return 0;
  double rest = facts.cycles_of("memory.local_latency") - config.memory.row_closed -
                config.memory.burst - quiet_way(config);
  for (std::size_t level = 1; level < config.caches.size(); ++level) {
    rest -= config.caches[level].latency;
  }
  return rest > 0 ? facts.whole<unsigned>("memory.local_latency", rest) : 0;
}

void check_limits(fact_reader& facts, const machine_config& config) {
  if (config.pus() > most_simulated_pus) {
    facts.complain(fmt::format("the machine has {} PUs, at most {} can be simulated", config.pus(),
                               most_simulated_pus));
  }
  if (config.nodes > most_chips) {
    facts.complain(fmt::format("the machine has {} nodes, at most {} can be simulated",
                               config.nodes, most_chips));
  }
}

}  // namespace

result<machine_config> read_config(const topology& machine) {
  fact_reader facts(machine);
  machine_config config;
  config.name = machine.name();
  config.nodes = static_cast<unsigned>(machine.node_count());
  for (std::uint32_t pu = 0; pu < machine.pu_count(); ++pu) {
    config.node_of_pu.push_back(machine.node_of(pu_id(pu)).value);
  }
  check_limits(facts, config);
  // Routes of too many nodes would not fit into memory.
  if (facts.problem()) return tl::unexpected(*facts.problem());
  config.line_bytes = read_line_bytes(facts, machine.caches());
  config.page_bytes = read_page_bytes(facts, config.line_bytes);
  config.core = read_core(facts);
  config.cores = core_groups(machine);
  config.tlbs = read_tlbs(facts, machine);
  config.caches = read_caches(facts, machine, machine.caches());
  if (config.chips() > most_chips) {
    facts.complain(
        fmt::format("the machine has {} chips (last-level caches), at most {} can be "
                    "simulated",
                    config.chips(), most_chips));
  }
  config.network = read_network(facts, machine, config.line_bytes);
  config.inside = read_inside(facts, config);
  if (facts.problem()) return tl::unexpected(*facts.problem());
  config.memory = read_memory(facts, config.line_bytes);
  config.memory.controller = controller_cycles(facts, config);
  config.os = read_os(facts);
  config.energy = read_energy(facts, config);
  if (facts.problem()) return tl::unexpected(*facts.problem());
  return config;
}

}  // namespace numatch::sim
