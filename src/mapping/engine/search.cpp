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

// Efforts are measured with build/bench/mapping: what lowers the cost most for its time.

enum class size_class : std::uint8_t { small, medium, wide, large };
constexpr unsigned every_level = ~0U;
constexpr cut_effort shrunk_once = {0, 1};

search_effort online_effort(size_class size) {
  search_effort effort{.cut = {1, 1}, .line = true, .screened = true};
  if (size == size_class::medium) effort.cut = {2, 1};
  if (size == size_class::wide) effort.cut = {2, 2};
  if (size == size_class::large) {
    effort.regroupings = 120;
    effort.packed_low = true;
  }
  return effort;
}

search_effort standard_effort(size_class size) {
  search_effort effort{.starts = 2, .cut = {2, 2}, .line = true, .packed = every_level};
  switch (size) {
    case size_class::small:
      effort.lined = true;
      effort.regroupings = 16;
      effort.regrouped = shrunk_once;
      effort.improved = 4;
      effort.agreeing = 3;
      effort.agreed_regroupings = 4;
      effort.more_starts = 4;
      effort.paired = 2;
      break;
    case size_class::medium:
      effort.cut = {1, 3};
      effort.regroupings = 16;
      effort.regrouped = shrunk_once;
      effort.improved = 2;
      effort.agreeing = 3;
      effort.agreed_regroupings = 4;
      effort.more_starts = 1;
      effort.paired = 2;
      effort.paired_regroupings = 5;
      effort.paired_cut = shrunk_once;
      break;
    case size_class::wide:
      effort.regroupings = 150;
      effort.improved = 2;
      effort.agreeing = 3;
      effort.agreed_regroupings = 100;
      effort.paired = 1;
      effort.paired_regroupings = 60;
      break;
    case size_class::large:
      effort.starts = 1;
      effort.cut = {1, 3, 4};
      effort.packed = 0;
      effort.packed_low = true;
      effort.regroupings = 2300;
      effort.regrouped = shrunk_once;
      effort.paired = 1;
      effort.paired_regroupings = 300;
      effort.paired_cut = shrunk_once;
      break;
  }
  return effort;
}

search_effort best_effort(size_class size) {
  search_effort effort{
      .starts = 4, .cut = {4, 4}, .line = true, .paired = 4, .packed = every_level, .lined = true};
  switch (size) {
    case size_class::small:
      effort.regroupings = 1000;
      effort.regrouped = shrunk_once;
      effort.paired_regroupings = 500;
      break;
    case size_class::medium:
      effort.regroupings = 1300;
      effort.regrouped = shrunk_once;
      effort.paired_regroupings = 300;
      break;
    case size_class::wide:
      effort.cut = {2, 2};
      effort.regroupings = 2500;
      effort.paired_regroupings = 800;
      effort.loose_swaps = 2000;
      break;
    case size_class::large:
      effort.cut = {2, 2};
      effort.regroupings = 40000;
      effort.regrouped = shrunk_once;
      effort.paired_regroupings = 2000;
      break;
  }
  return effort;
}

}  // namespace

std::int32_t whole_price(double move_cost, const thread_graph& graph, const slot_tree& tree) {
  constexpr double dearest = 1 << 28;
  return static_cast<std::int32_t>(
      std::ceil(std::min(move_cost * graph.scale() / tree.unit(), dearest)));
}

search_effort effort_for(mapping_budget budget, std::size_t vertices) {
  const size_class size = vertices <= 48    ? size_class::small
                          : vertices <= 128 ? size_class::medium
                          : vertices <= 512 ? size_class::wide
                                            : size_class::large;
  switch (budget) {
    case mapping_budget::online:
      return online_effort(size);
    case mapping_budget::standard:
      return standard_effort(size);
    case mapping_budget::best:
      break;
  }
  return best_effort(size);
}

search::search(const slot_tree& tree, mapping_budget budget)
    : search(tree, budget == mapping_budget::online ? 0U : 3U) {
  if (!effort_for(budget, tree.size()).packed_low) return;
  packed_ = std::make_unique<packed_start>(tree, low_level(tree));
}

search::search(const slot_tree& tree, unsigned halvings)
    : tree_(tree),
      cutter_(tree, tree.size()),
      line_(tree.size()),
      table_(tree),
      regrouping_(tree),
      starts_(tree.size()),
      circles_(tree),
      matcher_(tree.size()) {
  start_.resize(tree.size());
  best_.resize(tree.size());
  if (halvings > 0) packed_ = std::make_unique<packed_start>(tree, 0);
  if (halvings == 0 || tree.size() < 16 || tree.size() % 2 != 0) return;
  half_tree_ = std::make_unique<slot_tree>(tree.halved());
  if (half_tree_->levels().empty()) {
    half_tree_.reset();
  } else {
    half_.reset(new search(*half_tree_, halvings - 1));
  }
}

void search::reserve() {
  cutter_.reserve();
  if (packed_) packed_->reserve();
  line_at_.reserve(tree_.size());
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
  of_half.cut = effort.paired_cut;
  of_half.line = effort.line;
  of_half.regroupings = effort.paired_regroupings;
  of_half.paired = half_->half_ ? 1 : 0;
  of_half.paired_regroupings = effort.paired_regroupings;
  of_half.paired_cut = effort.paired_cut;
  of_half.regrouped = effort.regrouped;
  const std::span<const std::uint32_t> found = half_->run(half_graph_, of_half, random);
  for (std::size_t slot = 0; slot < found.size(); ++slot) {
    start_[2 * slot] = matcher_.members()[2 * found[slot]];
    start_[2 * slot + 1] = matcher_.members()[2 * found[slot] + 1];
  }
}

/// Goes down from start_, if wanted, and keeps where that leads if it is among the best.
void search::try_start(const thread_graph& graph, bool refined) {
  table_.start(graph, start_);
  if (refined) table_.descend();
  starts_.add(table_.cost(), table_.vertex_at());
}

void search::keep_if_best() {
  if (table_.cost() >= best_cost_) return;
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

/// Regroups what is in the table and keeps it if it is the best.
void search::improve(const thread_graph& graph, const search_effort& effort,
                     std::uint64_t regroupings, random_source& random) {
  const std::size_t most = most_regrouped(tree_.size());
  if (effort.loose_swaps > 0) {
    regrouping_.improve(table_, cutter_, graph, regroupings / 2, most, effort.regrouped, random);
    keep_if_best();
    // Where many share with many an exchange takes longer.
    const std::uint64_t proposals = effort.loose_swaps / (graph.is_sparse() ? 1 : 4);
    swap_loosely(proposals * tree_.size(), random);
    regrouping_.improve(table_, cutter_, graph, regroupings / 2, most, effort.regrouped, random);
  } else {
    regrouping_.improve(table_, cutter_, graph, regroupings, most, effort.regrouped, random);
  }
  keep_if_best();
}

void search::improve_starts(const thread_graph& graph, const search_effort& effort,
                            random_source& random) {
  const bool agreed = effort.agreeing > 0 && starts_.agreeing() >= effort.agreeing;
  for (unsigned s = 0; !agreed && s < effort.more_starts; ++s) {
    cutter_.place(graph, effort.cut, random, start_);
    try_start(graph, !effort.screened);
  }
  const std::uint64_t regroupings = agreed ? effort.agreed_regroupings : effort.regroupings;
  const std::size_t improved = agreed ? 1 : std::min<std::size_t>(effort.improved, starts_.size());
  best_cost_ = starts_.cost(0);
  std::copy(starts_.vertex_at(0).begin(), starts_.vertex_at(0).end(), best_.begin());
  if (!effort.screened && regroupings == 0) return;
  for (std::size_t i = 0; i < improved; ++i) {
    table_.start(graph, starts_.vertex_at(i));
    if (effort.screened) table_.descend();
    improve(graph, effort, regroupings, random);
  }
}

void search::try_all_starts(const thread_graph& graph, const search_effort& effort,
                            random_source& random) {
  if (effort.line) {
    line_.line_up(graph, start_);
    if (effort.packed > 0 || effort.packed_low || effort.paired > 0)
      line_at_.assign(start_.begin(), start_.end());
    try_start(graph, !effort.screened);
  }
  for (unsigned s = 0; s < effort.starts; ++s) {
    cutter_.place(graph, effort.cut, random, start_);
    try_start(graph, !effort.screened);
  }
  if (effort.lined && tree_.levels().size() > 1) {
    start_ = line_at_;
    for (std::uint32_t g = 0; g < tree_.levels()[0].groups(); ++g) {
      cutter_.resplit(graph, 0, g, effort.cut, random, start_);
    }
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
  if (effort.packed_low && packed_ && !tree_.levels().empty() &&
      packed_->place(graph, low_level(tree_), line_, line_at_, cutter_, random, start_)) {
    try_start(graph, !effort.screened);
  }
  for (unsigned s = 0; half_ && s < effort.paired; ++s) {
    start_with_pairs(graph, effort, effort.line && s % 2 == 0, random);
    try_start(graph, !effort.screened);
  }
}

std::span<const std::uint32_t> search::run(const thread_graph& graph, const search_effort& effort,
                                           random_source& random) {
  starts_.begin(std::max(1U, effort.improved));
  try_all_starts(graph, effort, random);
  improve_starts(graph, effort, random);
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
