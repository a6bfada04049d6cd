// SPDX-License-Identifier: Apache-2.0
#include "sim/read_inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/links.hpp"
#include "sim/read_links.hpp"

namespace numatch::sim {

namespace {

constexpr double usual_bytes_per_cycle = 64;
constexpr unsigned most_banks = 64;
/// A limit of what a busy bank can be (sim/calendar.hpp), and beyond any machine.
constexpr unsigned slowest_bank = 1024;

/// Columns and rows with room for the stops: as stated, else as square as can be.
std::vector<unsigned> mesh_extents(fact_reader& facts, unsigned stops) {
  const std::string text = facts.word("link.intra.dimensions", "");
  if (text.empty()) {
    const unsigned columns = static_cast<unsigned>(std::ceil(std::sqrt(stops)));
    return {columns, (stops + columns - 1) / columns};
  }
  const std::vector<unsigned> stated = extents(text);
  std::uint64_t room = stated.empty() ? 0 : 1;
  for (const unsigned extent : stated) room = std::min<std::uint64_t>(room * extent, 4096);
  if (room >= stops && room <= most_stops) return stated;
  facts.complain(fmt::format("link.intra.dimensions '{}' does not make {} to {} stops", text, stops,
                             most_stops),
                 "state it as '4x2' for 4 columns and 2 rows, or leave it out");
  return {stops};
}

connections connect(fact_reader& facts, unsigned stops, const link_config& link) {
  const std::string shape = facts.word("link.intra.topology", "ring");
  if (shape == "ring" || shape == "bidirectional ring") return ring(stops, link);
  if (shape == "mesh") return mesh(mesh_extents(facts, stops), link);
  return full({stops, std::vector<unsigned>(stops, link.latency)}, link);
}

/// The stops of a chip: core, bank, core, bank, … while there are both, then the rest of them, and
/// the gate as the last one. `first_stop[core]` is filled in.
chip_config make_chip(fact_reader& facts, const machine_config& machine, const link_config& link,
                      const std::vector<unsigned>& cores, std::vector<unsigned>& stop_of_core) {
  chip_config chip;
  const unsigned banks = machine.caches.back().banks;
  unsigned next = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(cores.size(), banks); ++i) {
    if (i < cores.size()) stop_of_core[cores[i]] = next++;
    if (i < banks) chip.stop_of_bank.push_back(next++);
  }
  chip.gate = next++;
  if (next > most_stops) {
    facts.complain(
        fmt::format("a chip has {} stops, at most {} can be simulated", next, most_stops),
        "state link.intra.model = 'one hop'");
    return chip;
  }
  connections made = connect(facts, next, link);
  chip.ways.links = std::move(made.links);
  chip.ways.route = std::move(made.route);
  chip.ways.control_bytes = machine.network.control_bytes;
  chip.ways.data_bytes = machine.network.data_bytes;
  chip.ways.queueing = machine.network.queueing;
  return chip;
}

/// The cores of every chip: who shares a first-level cache, in the order of their PUs.
std::vector<std::vector<unsigned>> cores_of_chips(const machine_config& machine) {
  std::vector<std::vector<unsigned>> cores(machine.chips());
  for (std::size_t pu = 0; pu < machine.pus(); ++pu) {
    std::vector<unsigned>& of_chip = cores[machine.caches.back().shared.group[pu]];
    const unsigned core = machine.caches.front().shared.group[pu];
    if (std::find(of_chip.begin(), of_chip.end(), core) == of_chip.end()) of_chip.push_back(core);
  }
  return cores;
}

/// Of a message from one stop to another when all links are free.
double quiet_cycles(const network_config& ways, unsigned from, unsigned to, unsigned bytes) {
  double cycles = 0;
  for (const unsigned link : ways.route[from][to]) cycles += ways.links[link].latency;
  const link_config& last = ways.links[ways.route[from][to].back()];
  return cycles + transfer_of(bytes, last.bytes_per_cycle);
}

}  // namespace

inside_config read_inside(fact_reader& facts, const machine_config& machine) {
  inside_config inside;
  inside.hop = facts.cycles("link.intra.latency", 1U);
  if (facts.problem() || facts.word("link.intra.model", "one hop") == "one hop") return inside;
  const cache_config& last = machine.caches.back();
  if (machine.caches.size() == 1) {
    facts.complain("link.intra.model 'stops' needs a cache between the cores and the gate",
                   "state link.intra.model = 'one hop'");
    return inside;
  }
  if (last.banks > most_banks) {
    facts.complain(fmt::format("cache.l{}.banks is more than {}", last.level, most_banks));
    return inside;
  }
  inside.bank_busy = facts.cycles(fmt::format("cache.l{}.busy", last.level), last.latency);
  if (inside.bank_busy > slowest_bank) {
    facts.complain(fmt::format("cache.l{}.busy is more than {} cycles", last.level, slowest_bank),
                   "it is the cache's latency where it is not stated");
  }
  link_config link;
  link.latency = inside.hop;
  link.bytes_per_cycle = facts.bytes_per_cycle("link.intra.bandwidth", 0, usual_bytes_per_cycle);
  check_width(facts, "link.intra.bandwidth", machine.network, link.bytes_per_cycle);
  std::vector<unsigned> stop_of_core(machine.caches.front().shared.count);
  for (const std::vector<unsigned>& cores : cores_of_chips(machine)) {
    if (facts.problem()) return inside;
    inside.chips.push_back(make_chip(facts, machine, link, cores, stop_of_core));
  }
  for (std::size_t pu = 0; pu < machine.pus(); ++pu) {
    inside.stop_of_pu.push_back(stop_of_core[machine.caches.front().shared.group[pu]]);
  }
  return inside;
}

double quiet_way(const machine_config& machine) {
  const inside_config& inside = machine.inside;
  if (inside.chips.empty()) return 2.0 * inside.hop;
  double sum = 0;
  std::size_t ways = 0;
  for (std::size_t pu = 0; pu < machine.pus(); ++pu) {
    const chip_config& chip = inside.chips[machine.caches.back().shared.group[pu]];
    const unsigned core = inside.stop_of_pu[pu];
    for (const unsigned bank : chip.stop_of_bank) {
      sum += quiet_cycles(chip.ways, core, bank, chip.ways.control_bytes) +
             quiet_cycles(chip.ways, bank, chip.gate, chip.ways.control_bytes) +
             quiet_cycles(chip.ways, chip.gate, bank, chip.ways.data_bytes) +
             quiet_cycles(chip.ways, bank, core, chip.ways.data_bytes);
      ++ways;
    }
  }
  return sum / static_cast<double>(ways);
}

}  // namespace numatch::sim
