// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "reproduce/run_facts.hpp"

namespace numatch::reproduce {

/// What the papers' figures show of a run.
enum class quantity : std::uint8_t {
  time,
  traffic,
  l2_mpki,
  energy,
  memory_energy,
  energy_per_instruction,
  remote_share,
  hardware,
  software,
  handled,
  tlb_misses,
  cycles_per_instruction,
  exclusivity,
};

struct quantity_entry {
  quantity what;
  std::string_view key;    ///< in suite files and JSON
  std::string_view label;  ///< heading of its table
  /// Whether it is told as a change against the baseline; else it is a share of its own.
  bool relative;
  /// Whether a table of programs and mechanisms can have it; else only a sweep has.
  bool in_tables = true;
};

std::span<const quantity_entry> all_quantities();
const quantity_entry& entry_of(quantity what);
/// Null for an unknown key.
const quantity_entry* find_quantity(std::string_view key);

/// The run's value: a quotient of run and baseline where the quantity is relative, else a share;
/// nothing where the baseline has none of it. Exclusivity is of a program and of no run: nothing.
std::optional<double> value_of(quantity what, const run_facts& run, const run_facts& baseline);

}  // namespace numatch::reproduce
