// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/swap_table.hpp"

#include <algorithm>

#include "mapping/engine/rows.hpp"
#include "mapping/engine/simd.hpp"

namespace numatch::engine {

namespace {

/// Row a gets what row b loses when one vertex leaves group a for b and another takes its place.
NUMATCH_SIMD void shift_rows(std::int32_t* a, std::int32_t* b, const std::int32_t* left,
                             const std::int32_t* came, std::size_t count) {
  for (std::size_t w = 0; w < count; ++w) {
    const std::int32_t more = came[w] - left[w];
    a[w] += more;
    b[w] -= more;
  }
}

/// The same for the sums of every vertex with its own group.
NUMATCH_SIMD void shift_own(std::int32_t* own, const std::uint32_t* group_of, std::uint32_t group_a,
                            std::uint32_t group_b, std::int32_t weight, const std::int32_t* left,
                            const std::int32_t* came, std::size_t count) {
  for (std::size_t w = 0; w < count; ++w) {
    const std::int32_t more = weight * (came[w] - left[w]);
    own[w] += group_of[w] == group_a ? more : 0;
    own[w] -= group_of[w] == group_b ? more : 0;
  }
}

NUMATCH_SIMD void start_gains(std::int32_t* gains, std::int32_t base, const std::int32_t* own,
                              const std::int32_t* row, const std::uint32_t* group_of,
                              const std::int32_t* near, const std::int32_t* reach,
                              std::size_t count) {
  for (std::size_t v = 0; v < count; ++v) {
    gains[v] = near[group_of[v]] - base - own[v] - 2 * row[v] * reach[group_of[v]];
  }
}

/// `price` for every vertex that the swap of one on `leaf` with home `home` brings home.
NUMATCH_SIMD void add_homecomings(std::int32_t* gains, const std::uint32_t* leaf_of,
                                  const std::uint32_t* home_of, std::uint32_t leaf,
                                  std::uint32_t home, std::int32_t price, std::size_t count) {
  for (std::size_t v = 0; v < count; ++v) {
    const std::int32_t before = (leaf == home ? 1 : 0) + (leaf_of[v] == home_of[v] ? 1 : 0);
    const std::int32_t after = (leaf_of[v] == home ? 1 : 0) + (leaf == home_of[v] ? 1 : 0);
    gains[v] += price * (after - before);
  }
}

}  // namespace

swap_table::swap_table(const slot_tree& tree) : tree_(tree), vertices_(tree.size()) {
  // Not a power of two: columns would fall on one set of the cache.
  stride_ = (vertices_ + 15) / 16 * 16 + 16;
  std::size_t rows = 0;
  std::size_t widest = 1;
  for (const slot_tree::level& level : tree.levels()) {
    first_row_.push_back(rows);
    rows += level.groups();
    widest = std::max(widest, level.groups());
  }
  shared_.resize(rows * stride_);
  slot_of_.resize(vertices_);
  vertex_at_.resize(vertices_);
  group_of_.resize(tree.levels().size() * vertices_);
  home_.resize(vertices_);
  leaf_.resize(vertices_);
  own_.resize(stride_);
  gains_.assign(padded(vertices_), INT32_MIN);
  near_.resize(widest);
  reach_.resize(widest);
  near_above_.resize(widest);
  reach_above_.resize(widest);
}

void swap_table::start(const thread_graph& graph, std::span<const std::uint32_t> vertex_at) {
  graph_ = &graph;
  price_ = 0;
  std::copy(vertex_at.begin(), vertex_at.end(), vertex_at_.begin());
  for (std::uint32_t slot = 0; slot < vertices_; ++slot) slot_of_[vertex_at_[slot]] = slot;
  std::fill(shared_.begin(), shared_.end(), 0);
  std::fill(own_.begin(), own_.end(), 0);
  std::int64_t twice_inside = 0;
  std::int64_t all = 0;
  const std::span<const slot_tree::level> levels = tree_.levels();
  for (std::size_t l = levels.size(); l-- > 0;) {
    const slot_tree::level& level = levels[l];
    std::uint32_t* const group = groups_of(l);
    for (std::size_t v = 0; v < vertices_; ++v) group[v] = level.group_of[slot_of_[v]];
    // The smallest groups add up the rows of their vertices, wider ones those of their parts.
    const bool smallest = l + 1 == levels.size();
    const std::size_t parts = smallest ? vertices_ : levels[l + 1].groups();
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t whole = smallest ? group[part] : levels[l + 1].parent[part];
      const std::int32_t* const from =
          smallest ? graph.row(part) : shared_.data() + (first_row_[l + 1] + part) * stride_;
      std::int32_t* const to = shared_.data() + (first_row_[l] + whole) * stride_;
      for (std::size_t w = 0; w < vertices_; ++w) to[w] += from[w];
    }
    for (std::size_t v = 0; v < vertices_; ++v) {
      const std::int32_t inside = shared_[(first_row_[l] + group[v]) * stride_ + v];
      own_[v] += level.weight * inside;
      twice_inside += std::int64_t{level.weight} * inside;
    }
  }
  for (std::size_t v = 0; v < vertices_; ++v) all += graph.degree(v);
  cost_ = (all * tree_.diameter() - twice_inside) / 2;
}

void swap_table::set_homes(std::span<const std::uint32_t> home_of, std::int32_t price) {
  price_ = price;
  std::copy(home_of.begin(), home_of.end(), home_.begin());
  for (std::size_t v = 0; v < vertices_; ++v) {
    leaf_[v] = tree_.leaf_of(slot_of_[v]);
    if (home_[v] != no_home && leaf_[v] != home_[v]) cost_ += price;
  }
}

/// What swapping two vertices changes the price of those away from home by.
std::int32_t swap_table::homecoming(std::uint32_t u, std::uint32_t v) const {
  std::int32_t gain = 0;
  add_homecomings(&gain, leaf_.data() + v, home_.data() + v, leaf_[u], home_[u], price_, 1);
  return -gain;
}

std::int32_t swap_table::change(std::uint32_t u, std::uint32_t v) const {
  const std::int32_t both = 2 * graph_->row(u)[v];
  std::int32_t sum = 0;
  // Different groups of a level have only different groups below.
  for (std::size_t l = tree_.levels().size(); l-- > 0;) {
    const std::uint32_t a = groups_of(l)[u];
    const std::uint32_t b = groups_of(l)[v];
    if (a == b) break;
    const std::int32_t* const row_a = shared_.data() + (first_row_[l] + a) * stride_;
    const std::int32_t* const row_b = shared_.data() + (first_row_[l] + b) * stride_;
    sum += tree_.levels()[l].weight * (row_a[u] - row_b[u] + row_b[v] - row_a[v] + both);
  }
  return price_ == 0 ? sum : sum + homecoming(u, v);
}

/// What v shares moves from group `from` of a level to group `to`: the sums of its neighbours.
void swap_table::shift_edges(std::size_t level, std::uint32_t v, std::uint32_t from,
                             std::uint32_t to) {
  const std::uint32_t* const groups = groups_of(level);
  const std::int32_t weight = tree_.levels()[level].weight;
  std::int32_t* const row_from = shared_.data() + (first_row_[level] + from) * stride_;
  std::int32_t* const row_to = shared_.data() + (first_row_[level] + to) * stride_;
  for (const thread_graph::edge& e : graph_->edges_of(v)) {
    row_from[e.to] -= e.weight;
    row_to[e.to] += e.weight;
    if (groups[e.to] == from) own_[e.to] -= weight * e.weight;
    if (groups[e.to] == to) own_[e.to] += weight * e.weight;
  }
}

void swap_table::swap(std::uint32_t u, std::uint32_t v, std::int32_t change) {
  cost_ += change;
  const bool by_edges = graph_->is_sparse();
  for (std::size_t l = tree_.levels().size(); l-- > 0;) {
    std::uint32_t* const groups = groups_of(l);
    const std::uint32_t a = groups[u];
    const std::uint32_t b = groups[v];
    if (a == b) break;
    if (by_edges) {
      shift_edges(l, u, a, b);
      shift_edges(l, v, b, a);
    } else {
      const std::int32_t* const row_u = graph_->row(u);
      const std::int32_t* const row_v = graph_->row(v);
      shift_rows(shared_.data() + (first_row_[l] + a) * stride_,
                 shared_.data() + (first_row_[l] + b) * stride_, row_u, row_v, vertices_);
      shift_own(own_.data(), groups, a, b, tree_.levels()[l].weight, row_u, row_v, vertices_);
    }
    groups[u] = b;
    groups[v] = a;
  }
  std::swap(slot_of_[u], slot_of_[v]);
  vertex_at_[slot_of_[u]] = u;
  vertex_at_[slot_of_[v]] = v;
  std::swap(leaf_[u], leaf_[v]);
  for (const std::uint32_t w : {u, v}) {
    own_[w] = 0;
    for (std::size_t l = 0; l < tree_.levels().size(); ++l) {
      own_[w] +=
          tree_.levels()[l].weight * shared_[(first_row_[l] + groups_of(l)[w]) * stride_ + w];
    }
  }
}

void swap_table::rearrange(std::span<const std::uint32_t> vertex_at) {
  for (std::uint32_t slot = 0; slot < vertices_; ++slot) {
    const std::uint32_t here = vertex_at_[slot];
    const std::uint32_t wanted = vertex_at[slot];
    if (here != wanted) swap(here, wanted, change(here, wanted));
  }
}

/// The change of the best swap of u; `partner` is the lowest vertex that gives it.
std::int32_t swap_table::best_partner(std::uint32_t u, std::uint32_t& partner) {
  const std::span<const slot_tree::level> levels = tree_.levels();
  near_above_[0] = 0;
  reach_above_[0] = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const slot_tree::level& level = levels[l];
    const std::uint32_t own = groups_of(l)[u];
    const std::int32_t* column = shared_.data() + first_row_[l] * stride_ + u;
    for (std::size_t g = 0; g < level.groups(); ++g, column += stride_) {
      near_[g] = near_above_[level.parent[g]] + level.weight * *column;
      reach_[g] = reach_above_[level.parent[g]] + (g == own ? 0 : level.weight);
    }
    std::swap(near_, near_above_);
    std::swap(reach_, reach_above_);
  }
  start_gains(gains_.data(), own_[u], own_.data(), graph_->row(u), groups_of(levels.size() - 1),
              near_above_.data(), reach_above_.data(), vertices_);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    add_row_times(gains_.data(), shared_.data() + (first_row_[l] + groups_of(l)[u]) * stride_,
                  levels[l].weight, vertices_);
  }
  if (price_ != 0) {
    add_homecomings(gains_.data(), leaf_.data(), home_.data(), leaf_[u], home_[u], price_,
                    vertices_);
  }
  gains_[u] = 0;
  partner = first_greatest(gains_.data(), gains_.size());
  return -gains_[partner];
}

void swap_table::descend() {
  if (tree_.levels().empty()) return;
  std::size_t quiet = 0;
  for (std::uint32_t u = 0; quiet < vertices_;
       u = (u + 1) % static_cast<std::uint32_t>(vertices_)) {
    std::uint32_t partner = 0;
    const std::int32_t least = best_partner(u, partner);
    ++quiet;
    if (least >= 0) continue;
    swap(u, partner, least);
    quiet = 0;
  }
}

void swap_table::descend_from(std::vector<std::uint32_t>& queue) {
  while (!queue.empty()) {
    const std::uint32_t u = queue.back();
    std::uint32_t partner = 0;
    const std::int32_t least = best_partner(u, partner);
    if (least >= 0) {
      queue.pop_back();
      continue;
    }
    swap(u, partner, least);
    queue.push_back(partner);
  }
}

}  // namespace numatch::engine
