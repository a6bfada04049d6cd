// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/large_search.hpp"

#include <algorithm>

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
      return {1, {0, 3, 8}, 2, 16};
    case mapping_budget::best:
      break;
  }
  return {8, {0, 3, 8}, 20, 128};
}

}  // namespace

large_search::large_search(const slot_tree& tree)
    : tree_(tree),
      cutter_(tree, tree.size()),
      descent_(tree),
      regrouping_(tree),
      line_(tree.size()),
      start_(tree.size()),
      best_(tree.size()) {}

std::span<const std::uint32_t> large_search::run(const thread_graph& graph, mapping_budget budget,
                                                 random_source& random) {
  const large_effort effort = effort_of(budget);
  std::int64_t least = -1;
  const auto try_start = [&] {
    descent_.improve(graph, start_, sweeps);
    const std::int64_t cost = descent_.cost(graph, start_);
    if (least >= 0 && cost >= least) return;
    least = cost;
    std::copy(start_.begin(), start_.end(), best_.begin());
  };
  for (unsigned s = 0; s < effort.starts; ++s) {
    cutter_.place(graph, effort.cut, random, start_);
    try_start();
  }
  line_.line_up(graph, start_);
  // A line that is far off stays so, and its way down is long.
  if (descent_.cost(graph, start_) < least + least / 8) try_start();
  regrouping_.improve(graph, best_, cutter_, effort.regroupings * tree_.size(),
                      effort.most_regrouped, random);
  descent_.improve(graph, best_, sweeps);
  return best_;
}

std::span<const std::uint32_t> large_search::refine(const thread_graph& graph,
                                                    std::span<const std::uint32_t> vertex_at,
                                                    std::span<const std::uint32_t> home_of,
                                                    std::int32_t price) {
  std::copy(vertex_at.begin(), vertex_at.end(), best_.begin());
  descent_.improve(graph, best_, sweeps, home_of, price);
  return best_;
}

}  // namespace numatch::engine
