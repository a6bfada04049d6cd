// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/search.hpp"

#include <algorithm>

namespace numatch::engine {

search_effort effort_for(mapping_budget budget, std::size_t vertices) {
  switch (budget) {
    case mapping_budget::online:
      return {.starts = 1, .cut = {1, 1}, .line = false, .regroupings = 0};
    case mapping_budget::standard:
      return {.starts = 2, .cut = {2, 2}, .line = true, .regroupings = 10};
    case mapping_budget::best:
      break;
  }
  return {.starts = 8, .cut = {2, 2}, .line = true, .regroupings = vertices * 8};
}

search::search(const slot_tree& tree)
    : tree_(tree), cutter_(tree, tree.size()), line_(tree.size()), table_(tree), regrouping_(tree) {
  start_.resize(tree.size());
  best_.resize(tree.size());
}

/// Goes down from start_ and keeps the result if it is the best so far.
void search::try_start(const thread_graph& graph) {
  table_.start(graph, start_);
  table_.descend();
  if (best_cost_ >= 0 && table_.cost() >= best_cost_) return;
  best_cost_ = table_.cost();
  std::copy(table_.vertex_at().begin(), table_.vertex_at().end(), best_.begin());
}

std::span<const std::uint32_t> search::run(const thread_graph& graph, const search_effort& effort,
                                           random_source& random) {
  best_cost_ = -1;
  if (effort.line) {
    line_.line_up(graph, start_);
    try_start(graph);
  }
  for (unsigned s = 0; s < effort.starts; ++s) {
    cutter_.place(graph, effort.cut, random, start_);
    try_start(graph);
  }
  if (effort.regroupings > 0) {
    table_.start(graph, best_);
    regrouping_.improve(table_, cutter_, graph, effort.regroupings, tree_.size(), random);
    std::copy(table_.vertex_at().begin(), table_.vertex_at().end(), best_.begin());
  }
  return best_;
}

std::span<const std::uint32_t> search::refine(const thread_graph& graph,
                                              std::span<const std::uint32_t> vertex_at,
                                              std::span<const std::uint32_t> home_of,
                                              std::int32_t price) {
  table_.start(graph, vertex_at);
  table_.set_homes(home_of, price);
  table_.descend();
  return table_.vertex_at();
}

}  // namespace numatch::engine
