// SPDX-License-Identifier: Apache-2.0
#include "reproduce/quantity.hpp"

#include <algorithm>
#include <array>

namespace numatch::reproduce {

namespace {

constexpr std::array<quantity_entry, 13> entries{{
    {quantity::time, "time", "Execution time", true},
    {quantity::traffic, "traffic", "Traffic between chips, bytes x hops", true},
    {quantity::l2_mpki, "l2-mpki", "Misses of the last cache level per 1000 instructions", true},
    {quantity::energy, "energy", "Energy", true},
    {quantity::memory_energy, "memory-energy", "Energy of the memory", true},
    {quantity::energy_per_instruction, "energy-per-instruction", "Energy per instruction", true},
    {quantity::remote_share, "remote-share", "Share of memory accesses that are remote", false},
    {quantity::hardware, "hardware", "The mechanism's hardware, share of the threads' time", false},
    {quantity::software, "software", "The mechanism's software, share of the threads' time", false},
    {quantity::handled, "handled", "Share of hardware events that were handled", false},
    {quantity::tlb_misses, "tlb-miss-rate", "Misses of the first TLB, share of its lookups", false},
    {quantity::cycles_per_instruction, "cpi", "Cycles per instruction", false, false},
    {quantity::exclusivity, "exclusivity", "Exclusivity level", false, false},
}};

/// What is compared, of one run.
double amount_of(quantity what, const run_facts& run) {
  const auto per_instruction = [&](double value) {
    return run.instructions == 0 ? 0 : value / static_cast<double>(run.instructions);
  };
  switch (what) {
    case quantity::time:
      return static_cast<double>(run.cycles);
    case quantity::traffic:
      return static_cast<double>(run.traffic_bytes);
    case quantity::l2_mpki:
      return per_instruction(static_cast<double>(run.last_level_misses));
    case quantity::energy:
      return run.energy;
    case quantity::memory_energy:
      return run.memory_energy;
    case quantity::energy_per_instruction:
      return per_instruction(run.energy);
    default:
      return 0;
  }
}

std::optional<double> share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::span<const quantity_entry> all_quantities() {
  return entries;
}

const quantity_entry& entry_of(quantity what) {
  return *std::ranges::find(entries, what, &quantity_entry::what);
}

const quantity_entry* find_quantity(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &quantity_entry::key);
  return found == entries.end() ? nullptr : &*found;
}

std::optional<double> value_of(quantity what, const run_facts& run, const run_facts& baseline) {
  switch (what) {
    case quantity::remote_share:
      return share(run.remote_memory, run.memory_accesses);
    case quantity::hardware:
      return share(run.hardware_cycles, run.running_cycles);
    case quantity::software:
      return share(run.software_cycles, run.running_cycles);
    case quantity::handled:
      return share(run.hardware_events, run.hardware_events + run.events_dropped);
    case quantity::tlb_misses:
      return share(run.tlb_misses, run.tlb_accesses);
    case quantity::cycles_per_instruction:
      return share(run.running_cycles, run.instructions);
    case quantity::exclusivity:
      return std::nullopt;
    default:
      break;
  }
  const double before = amount_of(what, baseline);
  if (before == 0) return std::nullopt;
  return amount_of(what, run) / before;
}

}  // namespace numatch::reproduce
