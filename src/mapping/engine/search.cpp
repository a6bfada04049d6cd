// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/search.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::engine {

namespace {

/// Vertices of two groups that are placed anew together: the more there are in all, the more pairs
/// of small groups there are to try.
std::size_t most_regrouped(std::size_t vertices) {
  if (vertices > 512) return 32;
  return vertices > 128 ? 64 : 128;
}

}  // namespace

std::int32_t whole_price(double move_cost, const thread_graph& graph, const slot_tree& tree) {
  constexpr double dearest = 1 << 28;
  return static_cast<std::int32_t>(
      std::ceil(std::min(move_cost * graph.scale() / tree.unit(), dearest)));
}

/// Measured with build/bench/mapping: what lowers the cost most for its time.
search_effort effort_for(mapping_budget budget, std::size_t vertices) {
  constexpr unsigned every_level = ~0U;
  const bool small = vertices <= 48;
  const bool medium = vertices <= 128;
  const bool large = vertices > 512;
  switch (budget) {
    case mapping_budget::online:
      if (large) return {1, {1, 1}, true, true, 200};
      if (small) return {1, {1, 1}, true, true};
      if (medium) return {1, {2, 1}, true, true};
      return {1, {2, 2}, true, true};
    case mapping_budget::standard:
      if (large) return {1, {2, 2}, true, false, 2300, 1, 300, 1};
      if (small) return {2, {2, 2}, true, false, 12, 2, 0, every_level};
      if (medium) return {2, {2, 2}, true, false, 20, 2, 5, every_level};
      return {2, {2, 2}, true, false, 150, 1, 60, every_level};
    case mapping_budget::best:
      break;
  }
  if (large) return {4, {2, 2}, true, false, 40000, 4, 2000, every_level};
  if (small) return {4, {4, 4}, true, false, 1000, 4, 500, every_level};
  if (medium) return {4, {4, 4}, true, false, 1300, 4, 300, every_level};
  return {4, {2, 2}, true, false, 2500, 4, 800, every_level, 2000};
}

search::search(const slot_tree& tree, unsigned halvings)
    : tree_(tree),
      cutter_(tree, tree.size()),
      line_(tree.size()),
      table_(tree),
      regrouping_(tree),
      circles_(tree),
      matcher_(tree.size()) {
  start_.resize(tree.size());
  best_.resize(tree.size());
  if (halvings > 0) packed_ = std::make_unique<packed_start>(tree);
  if (halvings == 0 || tree.size() < 16 || tree.size() % 2 != 0) return;
  half_tree_ = std::make_unique<slot_tree>(tree.halved());
  if (half_tree_->levels().empty()) {
    half_tree_.reset();
  } else {
    half_ = std::make_unique<search>(*half_tree_, halvings - 1);
  }
}

void search::reserve() {
  cutter_.reserve();
}

/// Places pairs of vertices on pairs of slots first: what swaps of single vertices cannot move.
void search::start_with_pairs(const thread_graph& graph, const search_effort& effort,
                              bool along_line, random_source& random) {
  if (along_line) {
    matcher_.match_along(graph, line_at_);
  } else {
    matcher_.match(graph, random);
  }
  half_graph_.merge(graph, matcher_.members(), matcher_.pair_of());
  half_graph_.make_rows();
  search_effort of_half;
  of_half.cut = {1, 1};
  of_half.line = effort.line;
  of_half.regroupings = effort.paired_regroupings;
  of_half.paired = half_->half_ ? 1 : 0;
  of_half.paired_regroupings = effort.paired_regroupings;
  const std::span<const std::uint32_t> found = half_->run(half_graph_, of_half, random);
  for (std::size_t slot = 0; slot < found.size(); ++slot) {
    start_[2 * slot] = matcher_.members()[2 * found[slot]];
    start_[2 * slot + 1] = matcher_.members()[2 * found[slot] + 1];
  }
}

/// Goes down from start_, if wanted, and keeps the result if it is the best so far.
void search::try_start(const thread_graph& graph, bool refined) {
  table_.start(graph, start_);
  if (refined) table_.descend();
  keep_if_best();
}

void search::keep_if_best() {
  if (best_cost_ >= 0 && table_.cost() >= best_cost_) return;
  best_cost_ = table_.cost();
  std::copy(table_.vertex_at().begin(), table_.vertex_at().end(), best_.begin());
}

/// Threshold accepting (Dueck and Scheuer 1990): what an exchange may cost falls from what a vertex
/// pays on average to nothing. Many small changes that pay together, as where the sizes of circles
/// that share do not fit the groups.
void search::swap_loosely(std::uint64_t proposals, random_source& random) {
  const std::uint32_t count = static_cast<std::uint32_t>(tree_.size());
  const std::int64_t most = table_.cost() / count;
  for (std::uint64_t left = proposals; left > 0; --left) {
    const std::uint32_t u = random.below(count);
    const std::uint32_t v = random.below(count);
    const std::int32_t change = table_.change(u, v);
    if (change == 0 && left % 4 != 0) continue;  // mostly exchanges of what is alike
    const std::int64_t allowed =
        most * static_cast<std::int64_t>(left) / static_cast<std::int64_t>(proposals);
    if (change < allowed) table_.swap(u, v, change);
  }
  table_.descend();
}

void search::improve_best(const thread_graph& graph, const search_effort& effort,
                          random_source& random) {
  table_.start(graph, best_);
  if (effort.screened) table_.descend();
  const std::size_t most = most_regrouped(tree_.size());
  if (effort.loose_swaps > 0) {
    regrouping_.improve(table_, cutter_, graph, effort.regroupings / 2, most, random);
    keep_if_best();
    // Where many share with many an exchange takes longer.
    const std::uint64_t proposals = effort.loose_swaps / (graph.is_sparse() ? 1 : 4);
    swap_loosely(proposals * tree_.size(), random);
    regrouping_.improve(table_, cutter_, graph, effort.regroupings / 2, most, random);
  } else {
    regrouping_.improve(table_, cutter_, graph, effort.regroupings, most, random);
  }
  keep_if_best();
}

std::span<const std::uint32_t> search::run(const thread_graph& graph, const search_effort& effort,
                                           random_source& random) {
  best_cost_ = -1;
  if (effort.line) {
    line_.line_up(graph, start_);
    if (effort.packed > 0 || effort.paired > 0) line_at_.assign(start_.begin(), start_.end());
    try_start(graph, !effort.screened);
  }
  for (unsigned s = 0; s < effort.starts; ++s) {
    cutter_.place(graph, effort.cut, random, start_);
    try_start(graph, !effort.screened);
  }
  if (effort.packed > 0 && tree_.size() <= search_effort::most_for_circles &&
      circles_.place(graph, cutter_, random, start_)) {
    try_start(graph, !effort.screened);
  }
  const std::size_t packed =
      packed_ ? std::min<std::size_t>(effort.packed, tree_.levels().size()) : 0;
  for (std::size_t l = 0; l < packed; ++l) {
    if (packed_->place(graph, l, line_, line_at_, cutter_, random, start_)) {
      try_start(graph, !effort.screened);
    }
  }
  for (unsigned s = 0; half_ && s < effort.paired; ++s) {
    start_with_pairs(graph, effort, effort.line && s % 2 == 0, random);
    try_start(graph, !effort.screened);
  }
  if (effort.screened || effort.regroupings > 0) {
    improve_best(graph, effort, random);
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
