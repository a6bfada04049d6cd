// SPDX-License-Identifier: Apache-2.0
#include "mapping/edmonds.hpp"

#include <lemon/matching.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <cmath>

namespace numatch {

std::vector<std::uint32_t> heaviest_matching(std::size_t vertices,
                                             const std::vector<weighted_pair>& pairs) {
  using graph_type = lemon::SmartGraph;
  using weight_map = graph_type::EdgeMap<std::int64_t>;
  std::vector<std::uint32_t> mate(vertices, no_mate);
  double heaviest = 0;
  bool whole = true;
  for (const weighted_pair& p : pairs) {
    heaviest = std::max(heaviest, p.weight);
    whole = whole && p.weight == std::floor(p.weight);
  }
  if (heaviest <= 0) return mate;
  const double most = std::ldexp(1.0, 40);
  const bool exact = whole && heaviest <= most;

  graph_type graph;
  graph.reserveNode(static_cast<int>(vertices));
  graph.reserveEdge(static_cast<int>(pairs.size()));
  for (std::size_t v = 0; v < vertices; ++v) graph.addNode();
  weight_map weight(graph);
  for (const weighted_pair& p : pairs) {
    const graph_type::Edge edge = graph.addEdge(graph_type::nodeFromId(static_cast<int>(p.a)),
                                                graph_type::nodeFromId(static_cast<int>(p.b)));
    weight[edge] =
        static_cast<std::int64_t>(exact ? p.weight : std::floor(p.weight / heaviest * most));
  }
  lemon::MaxWeightedMatching<graph_type, weight_map> matching(graph, weight);
  matching.run();
  for (std::size_t v = 0; v < vertices; ++v) {
    const graph_type::Node other = matching.mate(graph_type::nodeFromId(static_cast<int>(v)));
    if (other != lemon::INVALID) mate[v] = static_cast<std::uint32_t>(graph_type::id(other));
  }
  return mate;
}

}  // namespace numatch
