// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "sim/result.hpp"

namespace numatch::reproduce {

/// What the tables need of one simulated run.
struct run_facts {
  std::uint64_t cycles = 0;
  std::uint64_t running_cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t accesses = 0;
  std::uint64_t tlb_accesses = 0;  ///< of the first level
  std::uint64_t tlb_misses = 0;
  std::uint64_t last_level_misses = 0;
  std::uint64_t memory_accesses = 0;
  std::uint64_t remote_memory = 0;
  std::uint64_t traffic_bytes = 0;
  std::uint64_t pages_moved = 0;
  std::uint64_t threads_moved = 0;
  std::uint64_t decisions = 0;
  std::uint64_t hardware_events = 0;
  std::uint64_t events_dropped = 0;
  std::uint64_t hardware_cycles = 0;
  std::uint64_t software_cycles = 0;
  double energy = 0;         ///< J
  double memory_energy = 0;  ///< J
  friend bool operator==(const run_facts&, const run_facts&) = default;
};

run_facts facts_of(const sim::run_result& run);

/// JSON with every digit, so that what is read is what was written.
std::string to_json(const run_facts& facts);
/// Errors: no JSON, a fact missing or of the wrong kind.
result<run_facts> run_facts_of(const std::string& json);

}  // namespace numatch::reproduce
