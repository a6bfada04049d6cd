// SPDX-License-Identifier: Apache-2.0
#include "reproduce/run_facts.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace numatch::reproduce {

namespace {

using json = nlohmann::ordered_json;

constexpr std::array<std::pair<const char*, std::uint64_t run_facts::*>, 17> counts{{
    {"cycles", &run_facts::cycles},
    {"running_cycles", &run_facts::running_cycles},
    {"instructions", &run_facts::instructions},
    {"accesses", &run_facts::accesses},
    {"tlb_accesses", &run_facts::tlb_accesses},
    {"tlb_misses", &run_facts::tlb_misses},
    {"last_level_misses", &run_facts::last_level_misses},
    {"memory_accesses", &run_facts::memory_accesses},
    {"remote_memory", &run_facts::remote_memory},
    {"traffic_bytes", &run_facts::traffic_bytes},
    {"pages_moved", &run_facts::pages_moved},
    {"threads_moved", &run_facts::threads_moved},
    {"decisions", &run_facts::decisions},
    {"hardware_events", &run_facts::hardware_events},
    {"events_dropped", &run_facts::events_dropped},
    {"hardware_cycles", &run_facts::hardware_cycles},
    {"software_cycles", &run_facts::software_cycles},
}};
constexpr std::array<std::pair<const char*, double run_facts::*>, 2> joules{
    {{"energy", &run_facts::energy}, {"memory_energy", &run_facts::memory_energy}}};

}  // namespace

run_facts facts_of(const sim::run_result& run) {
  run_facts facts;
  facts.cycles = run.cycles;
  facts.running_cycles = run.running_cycles;
  facts.instructions = run.instructions;
  facts.accesses = run.accesses;
  facts.tlb_accesses = run.tlb_accesses;
  facts.tlb_misses = run.tlb_misses;
  facts.last_level_misses = run.caches.empty() ? 0 : run.caches.back().misses;
  facts.memory_accesses = run.memory_accesses();
  facts.remote_memory = run.remote_memory;
  facts.traffic_bytes = run.total_traffic();
  facts.pages_moved = run.pages_moved;
  facts.threads_moved = run.threads_moved;
  facts.decisions = run.decisions.size();
  facts.hardware_events = run.hardware_events;
  facts.events_dropped = run.events_dropped;
  facts.hardware_cycles = run.hardware_cycles;
  facts.software_cycles = run.software_cycles;
  facts.energy = run.dynamic_energy.total() + run.static_energy.total();
  facts.memory_energy = run.dynamic_energy.memory + run.static_energy.memory;
  return facts;
}

std::string to_json(const run_facts& facts) {
  json text;
  for (const auto& [key, member] : counts) text[key] = facts.*member;
  for (const auto& [key, member] : joules) text[key] = facts.*member;
  return text.dump(2) + "\n";
}

result<run_facts> run_facts_of(const std::string& text) {
  const json read = json::parse(text, nullptr, false);
  if (!read.is_object()) return fail("stored run", "is not a JSON object");
  run_facts facts;
  for (const auto& [key, member] : counts) {
    const auto found = read.find(key);
    if (found == read.end() || !found->is_number_unsigned()) {
      return fail("stored run", fmt::format("has no count '{}'", key));
    }
    facts.*member = found->get<std::uint64_t>();
  }
  for (const auto& [key, member] : joules) {
    const auto found = read.find(key);
    if (found == read.end() || !found->is_number()) {
      return fail("stored run", fmt::format("has no number '{}'", key));
    }
    facts.*member = found->get<double>();
  }
  return facts;
}

}  // namespace numatch::reproduce
