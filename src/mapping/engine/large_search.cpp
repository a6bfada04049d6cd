// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/large_search.hpp"

#include "mapping/engine/sparse_descent.hpp"

namespace numatch::engine {

namespace {

constexpr unsigned sweeps = 6;

}  // namespace

std::vector<std::uint32_t> search_large(const slot_tree& tree, const thread_graph& graph,
                                        mapping_budget budget, random_source& random) {
  sparse_descent descent(tree, graph);
  tree_cutter cutter(tree, tree.size());
  std::vector<std::uint32_t> best(tree.size());
  std::vector<std::uint32_t> start(tree.size());
  path_order(tree.size()).line_up(graph, best);
  descent.improve(best, sweeps);
  std::int64_t least = descent.cost(best);
  const unsigned starts = budget == mapping_budget::best ? 8 : 1;
  for (unsigned s = 0; s < starts; ++s) {
    cutter.place(graph, {0, budget == mapping_budget::online ? 1U : 3U}, random, start);
    descent.improve(start, sweeps);
    const std::int64_t cost = descent.cost(start);
    if (cost >= least) continue;
    least = cost;
    best = start;
  }
  return best;
}

}  // namespace numatch::engine
