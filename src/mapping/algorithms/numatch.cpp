// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mapping/engine/search.hpp"
#include "mapping/mapper.hpp"

namespace numatch {
namespace {
result<thread_mapping> map_numatch(const mapping_request& request) {
  const pu_tree tree(request.machine, request.allowed);
  const level_costs costs = costs_by_level(request.machine, request.distances);
  const std::size_t n = request.sharing.size();
  const std::uint32_t c = static_cast<std::uint32_t>((n + tree.size() - 1) / tree.size());
  std::vector<std::uint32_t> slots(tree.size(), c);
  const engine::slot_tree places(tree, costs, slots);
  engine::thread_graph graph;
  graph.load(request.sharing, places.size());
  engine::random_source random(request.seed);
  engine::search find(places);
  const std::span<const std::uint32_t> at =
      find.run(graph, engine::effort_for(request.budget, places.size()), random);
  std::vector<std::uint32_t> slot_of(at.size());
  for (std::uint32_t slot = 0; slot < at.size(); ++slot) slot_of[at[slot]] = slot;
  thread_mapping mapping;
  for (std::size_t t = 0; t < n; ++t) mapping.pu_of.push_back(tree.pu(places.leaf_of(slot_of[t])));
  return mapping;
}
}  // namespace
extern const mapping_algorithm numatch_algorithm{"numatch", "the default", map_numatch};
}  // namespace numatch
