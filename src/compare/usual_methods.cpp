// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compare/allowed_pus.hpp"
#include "compare/method.hpp"
#include "mapping/mapper.hpp"

namespace numatch::compare {

namespace {

std::string always_here(const situation& /*here*/) {
  return {};
}

run_setup untouched(const situation& here) {
  run_setup setup;
  setup.plan.allowed = here.allowed;
  return setup;
}

std::string needs_nodes(const situation& here) {
  return here.machine.node_count() > 1 ? "" : "this machine has one NUMA node";
}

std::string needs_processors(const situation& here) {
  return allowed_pus(here.machine, here.allowed).size() > 1 ? ""
                                                            : "there is one processor to run on";
}

std::string needs_balancing(const situation& here) {
  if (const std::string reason = needs_nodes(here); !reason.empty()) return reason;
  if (!here.balancing) return "this kernel has no NUMA Balancing";
  if (!here.may_set_balancing) return "this user may not change kernel.numa_balancing";
  return {};
}

std::string needs_sensor(const situation& here) {
  const std::string reason = needs_nodes(here);
  return reason.empty() ? here.no_sensor : reason;
}

result<run_setup> placed_by(std::string_view algorithm, const situation& here, std::uint64_t seed) {
  const result<const mapping_algorithm*> found = find_algorithm(algorithm);
  if (!found) return tl::unexpected(found.error());
  const sharing_matrix nothing_known(here.threads);
  const distance_table distances(here.machine);
  const std::vector<pu_id> allowed = allowed_pus(here.machine, here.allowed);
  mapping_request request{nothing_known, here.machine, distances};
  request.seed = seed;
  request.allowed = allowed;
  result<mapping_answer> answer = map_threads(**found, request);
  if (!answer) return tl::unexpected(answer.error());
  saved_mapping mapping;
  mapping.answer = std::move(*answer);
  result<live::pin_plan> plan = live::plan_pins(mapping, here.machine, here.allowed);
  if (!plan) return tl::unexpected(plan.error());
  return run_setup{std::move(*plan), std::nullopt, false};
}

method placing(const char* name, std::string summary) {
  return {
      name, std::move(summary), needs_processors,
      [name](const situation& here, std::uint64_t seed) { return placed_by(name, here, seed); }};
}

method balancing(std::string name, std::string summary, int value) {
  return {std::move(name), std::move(summary), needs_balancing,
          [value](const situation& here, std::uint64_t) -> result<run_setup> {
            run_setup setup = untouched(here);
            setup.balancing = value;
            return setup;
          }};
}

}  // namespace

std::vector<method> usual_methods() {
  std::vector<method> methods;
  methods.push_back(
      {"default", "what the system does by itself", always_here,
       [](const situation& here, std::uint64_t) -> result<run_setup> { return untouched(here); }});
  methods.push_back({"interleave", "pages on all nodes in turn, threads as the system does",
                     needs_nodes, [](const situation& here, std::uint64_t) -> result<run_setup> {
                       run_setup setup = untouched(here);
                       for (std::uint32_t n = 0; n < here.machine.node_count(); ++n) {
                         setup.plan.interleave_nodes.push_back(here.machine.os_index(node_id(n)));
                       }
                       return setup;
                     }});
  methods.push_back(placing("random", "threads on processors drawn anew for every run"));
  methods.push_back(placing("compact", "threads on neighbouring processors, in order of creation"));
  methods.push_back(placing("scatter", "threads as far apart as they can be"));
  methods.push_back({"numatch", "managed by numatch run while it runs", needs_sensor,
                     [](const situation& here, std::uint64_t) -> result<run_setup> {
                       run_setup setup = untouched(here);
                       setup.managed = true;
                       return setup;
                     }});
  methods.push_back(balancing("numa-balancing", "kernel.numa_balancing=1", 1));
  methods.push_back(balancing("no-numa-balancing", "kernel.numa_balancing=0", 0));
  return methods;
}

}  // namespace numatch::compare
