// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/suggest.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

namespace {

tl::unexpected<error> does_not_work(const sensor_entry& entry, const availability& here) {
  return fail(fmt::format("sensor {}", entry.name),
              fmt::format("does not work here: {}", here.reason),
              here.remedy.empty() ? "" : fmt::format("needs {}", here.remedy));
}

}  // namespace

result<const sensor_entry*> choose_sensor(std::string_view name, const system_facts& here) {
  std::vector<const sensor_entry*> by_rank(all_sensors().begin(), all_sensors().end());
  std::stable_sort(by_rank.begin(), by_rank.end(),
                   [](const sensor_entry* a, const sensor_entry* b) { return a->rank < b->rank; });
  std::vector<std::string_view> names;
  for (const sensor_entry* entry : by_rank) {
    names.push_back(entry->name);
    const availability found = entry->probe(here);
    if (name == entry->name && !found.works) return does_not_work(*entry, found);
    if (name == entry->name || (name == "auto" && found.works)) return entry;
  }
  if (name != "auto")
    return fail("", fmt::format("unknown sensor '{}'", name), suggest(name, names));
  // The last asks for least: what it lacks, all others lack, too.
  return does_not_work(*by_rank.back(), by_rank.back()->probe(here));
}

}  // namespace numatch::live
