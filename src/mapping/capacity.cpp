// SPDX-License-Identifier: Apache-2.0
#include "mapping/capacity.hpp"

namespace numatch {

namespace {

double move_cost(const sharing_graph& graph, const distance_table& distances,
                 const thread_mapping& mapping, std::size_t thread, pu_id to) {
  const pu_id from = mapping.pu_of[thread];
  double cost = 0;
  for (const sharing_graph::edge& e : graph.edges_of(thread)) {
    const pu_id other = mapping.pu_of[e.to];
    cost += e.weight * (distances.at(to, other) - distances.at(from, other));
  }
  return cost;
}

}  // namespace

void respect_capacity(thread_mapping& mapping, const sharing_graph& graph,
                      const distance_table& distances) {
  const std::size_t pus = distances.size();
  const std::size_t capacity = capacity_of_pu(mapping.pu_of.size(), pus);
  std::vector<std::vector<std::uint32_t>> threads_on(pus);
  for (std::uint32_t t = 0; t < mapping.pu_of.size(); ++t) {
    threads_on[mapping.pu_of[t].index()].push_back(t);
  }
  for (std::size_t full = 0; full < pus; ++full) {
    while (threads_on[full].size() > capacity) {
      std::size_t best_place = 0;
      pu_id best_pu;
      double best_cost = 0;
      bool found = false;
      for (std::uint32_t pu = 0; pu < pus; ++pu) {
        if (threads_on[pu].size() >= capacity) continue;
        for (std::size_t place = 0; place < threads_on[full].size(); ++place) {
          const double cost =
              move_cost(graph, distances, mapping, threads_on[full][place], pu_id(pu));
          if (found && cost >= best_cost) continue;
          best_place = place;
          best_pu = pu_id(pu);
          best_cost = cost;
          found = true;
        }
      }
      const std::uint32_t moved = threads_on[full][best_place];
      mapping.pu_of[moved] = best_pu;
      threads_on[best_pu.index()].push_back(moved);
      threads_on[full].erase(threads_on[full].begin() + static_cast<std::ptrdiff_t>(best_place));
    }
  }
}

}  // namespace numatch
