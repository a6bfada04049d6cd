// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "live/sensor.hpp"

namespace numatch::live {

namespace {

/// The best of those that work here and are less good than `last`; nullptr: there is none.
const sensor_entry* next_best(const sensor_entry& last, const system_facts& here) {
  const sensor_entry* best = nullptr;
  for (const sensor_entry* entry : all_sensors()) {
    const bool better = best == nullptr || entry->rank < best->rank;
    if (entry->rank > last.rank && better && entry->probe(here).works) best = entry;
  }
  return best;
}

}  // namespace

result<opened_sensor> open_sensor(std::string_view name, const system_facts& here,
                                  observed_process& process) {
  const result<const sensor_entry*> chosen = choose_sensor(name, here);
  if (!chosen) return tl::unexpected(chosen.error());
  const sensor_entry* entry = *chosen;
  opened_sensor opened;
  for (;;) {
    result<std::unique_ptr<sensor>> made = entry->make(process);
    if (made) {
      opened.entry = entry;
      opened.senses = std::move(*made);
      return opened;
    }
    const sensor_entry* const next =
        name == "auto" && process.alive() ? next_best(*entry, here) : nullptr;
    if (next == nullptr) return tl::unexpected(made.error());
    opened.note += fmt::format("{}{}: {}", opened.note.empty() ? "" : "; ", entry->name,
                               made.error().message());
    entry = next;
  }
}

}  // namespace numatch::live
