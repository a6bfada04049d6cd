// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/large_search.hpp"

#include "mapping/engine/sparse_descent.hpp"
#include "mapping/engine/sparse_regrouping.hpp"

namespace numatch::engine {

namespace {

constexpr unsigned sweeps = 6;

/// Measured with build/bench/mapping, as effort_for() is.
struct large_effort {
  unsigned starts = 1;
  cut_effort cut;
  std::uint64_t regroupings = 0;  ///< per vertex
  std::size_t most_regrouped = 0;
};

large_effort effort_of(mapping_budget budget) {
  switch (budget) {
    case mapping_budget::online:
      return {1, {0, 1}};
    case mapping_budget::standard:
      return {1, {0, 3}, 2, 16};
    case mapping_budget::best:
      break;
  }
  return {8, {0, 3}, 20, 128};
}

}  // namespace

std::vector<std::uint32_t> search_large(const slot_tree& tree, const thread_graph& graph,
                                        mapping_budget budget, random_source& random) {
  const large_effort effort = effort_of(budget);
  sparse_descent descent(tree, graph);
  tree_cutter cutter(tree, tree.size());
  std::vector<std::uint32_t> best(tree.size());
  std::vector<std::uint32_t> start(tree.size());
  cutter.place(graph, effort.cut, random, best);
  descent.improve(best, sweeps);
  std::int64_t least = descent.cost(best);
  const auto keep_if_best = [&] {
    const std::int64_t cost = descent.cost(start);
    if (cost >= least) return;
    least = cost;
    best = start;
  };
  for (unsigned s = 1; s < effort.starts; ++s) {
    cutter.place(graph, effort.cut, random, start);
    descent.improve(start, sweeps);
    keep_if_best();
  }
  path_order(tree.size()).line_up(graph, start);
  // A line that is far off stays so, and its way down is long.
  if (descent.cost(start) < least + least / 8) {
    descent.improve(start, sweeps);
    keep_if_best();
  }
  sparse_regrouping(tree, graph)
      .improve(best, cutter, effort.regroupings * tree.size(), effort.most_regrouped, random);
  descent.improve(best, sweeps);
  return best;
}

}  // namespace numatch::engine
