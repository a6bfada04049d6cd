// SPDX-License-Identifier: Apache-2.0
#include "live/pin_plan.hpp"

#include <algorithm>

#include "mapping/recipes.hpp"

namespace numatch::live {

result<pin_plan> plan_pins(const saved_mapping& mapping, const topology& machine,
                           const cpu_mask& allowed) {
  pin_plan plan;
  plan.allowed = allowed;
  std::vector<unsigned> forbidden;
  std::size_t left_out = 0;
  const std::vector<pu_id>& places = mapping.answer.mapping.pu_of;
  for (std::size_t t = 0; t < places.size(); ++t) {
    if (places[t].index() >= machine.pu_count()) {
      const std::string made_for =
          mapping.machine.empty() ? "" : fmt::format(" (it was made for '{}')", mapping.machine);
      return fail("mapping",
                  fmt::format("puts thread {} on PU {}, but this machine has {} PUs{}", t,
                              places[t].value, machine.pu_count(), made_for),
                  "map again with --topology live");
    }
    const unsigned cpu = machine.os_index(places[t]);
    if (allowed.has(cpu)) {
      plan.cpu_of_thread.emplace_back(cpu);
      continue;
    }
    plan.cpu_of_thread.emplace_back(std::nullopt);
    forbidden.push_back(cpu);
    ++left_out;
  }
  if (left_out > 0) {
    plan.notes.push_back(fmt::format(
        "this process may not run on CPU {}: {} of {} threads stay where the system puts them",
        cpu_list(forbidden), left_out, places.size()));
  }
  if (!mapping.pages || mapping.pages->policy == page_policy::local) return plan;
  if (machine.node_count() == 1) {
    plan.notes.emplace_back(
        "this machine has one NUMA node: the page policy 'interleave' has no "
        "effect");
    return plan;
  }
  for (const pu_id place : places) {
    plan.interleave_nodes.push_back(machine.os_index(machine.node_of(place)));
  }
  std::sort(plan.interleave_nodes.begin(), plan.interleave_nodes.end());
  plan.interleave_nodes.erase(
      std::unique(plan.interleave_nodes.begin(), plan.interleave_nodes.end()),
      plan.interleave_nodes.end());
  return plan;
}

}  // namespace numatch::live
