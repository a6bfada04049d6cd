// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/sparse_descent.hpp"

#include <algorithm>

#include "mapping/engine/swap_table.hpp"

namespace numatch::engine {

namespace {
constexpr std::size_t most_neighbours = 12;  ///< of a vertex that are gone to
constexpr std::uint32_t most_slots = 8;      ///< tried around each of them
/// A vertex with so many times more neighbours is no partner: its swaps are found from its side,
/// once for all.
constexpr std::size_t more_neighbours = 64;

std::uint32_t widest(const slot_tree::level& level) {
  std::uint32_t most = 0;
  for (std::size_t g = 0; g < level.groups(); ++g) {
    most = std::max(most, level.first[g + 1] - level.first[g]);
  }
  return most;
}
}  // namespace

sparse_descent::sparse_descent(const slot_tree& tree) : tree_(tree) {
  slot_of_.resize(tree.size());
  quiet_.resize(tree.size());
  seen_.reserve(most_neighbours);
  const std::size_t levels = tree.levels().size();
  for (std::size_t l = levels; l-- > 0;) {
    if (l + 1 < levels && widest(tree.levels()[l]) > most_slots) break;
    around_ = l;
  }
}

/// What a vertex pays on a slot for not being at home.
std::int64_t sparse_descent::away(std::uint32_t vertex, std::uint32_t slot) const {
  const std::uint32_t home = home_of_[vertex];
  return home == swap_table::no_home || home == tree_.leaf_of(slot) ? 0 : price_;
}

std::int64_t sparse_descent::change(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t at_a = slot_of_[a];
  const std::uint32_t at_b = slot_of_[b];
  std::int64_t sum = 0;
  for (const thread_graph::edge& e : graph_->edges_of(a)) {
    if (e.to == b) continue;
    const std::uint32_t other = slot_of_[e.to];
    sum += std::int64_t{e.weight} * (tree_.distance(at_b, other) - tree_.distance(at_a, other));
  }
  for (const thread_graph::edge& e : graph_->edges_of(b)) {
    if (e.to == a) continue;
    const std::uint32_t other = slot_of_[e.to];
    sum += std::int64_t{e.weight} * (tree_.distance(at_a, other) - tree_.distance(at_b, other));
  }
  if (!home_of_.empty()) sum += away(a, at_b) + away(b, at_a) - away(a, at_a) - away(b, at_b);
  return sum;
}

/// What v pays less, at least, on any slot of a smallest group. Who it shares with there can be no
/// nearer than on the same slot.
std::int64_t sparse_descent::least_change(std::uint32_t v, std::uint32_t group) const {
  const slot_tree::level& smallest = tree_.levels().back();
  const std::uint32_t from = slot_of_[v];
  const std::uint32_t to = smallest.first[group];
  std::int64_t sum = 0;
  for (const thread_graph::edge& e : graph_->edges_of(v)) {
    const std::uint32_t other = slot_of_[e.to];
    const std::int32_t distance = smallest.group_of[other] == group ? 0 : tree_.distance(to, other);
    sum += std::int64_t{e.weight} * (distance - tree_.distance(from, other));
  }
  return home_of_.empty() ? sum : sum - away(v, from);
}

/// The slots around the neighbours of v, where v itself would pay less: where the other one gains
/// from a swap at the cost of v, it is found from there.
bool sparse_descent::improve_vertex(std::span<std::uint32_t> vertex_at, std::uint32_t v) {
  const slot_tree::level& around = tree_.levels()[around_];
  const slot_tree::level& smallest = tree_.levels().back();
  std::int64_t best = 0;
  std::uint32_t partner = v;
  const std::size_t own = graph_->edges_of(v).size();
  std::size_t neighbours = 0;
  seen_.clear();
  for (const thread_graph::edge& e : graph_->edges_of(v)) {
    if (++neighbours > most_neighbours) break;
    const std::uint32_t group = around.group_of[slot_of_[e.to]];
    if (std::find(seen_.begin(), seen_.end(), group) != seen_.end()) continue;
    seen_.push_back(group);
    const std::uint32_t end = std::min(around.first[group + 1], around.first[group] + most_slots);
    for (std::uint32_t slot = around.first[group]; slot < end;) {
      const std::uint32_t here = smallest.group_of[slot];
      const std::uint32_t end_here = std::min(smallest.first[here + 1], end);
      if (here == smallest.group_of[slot_of_[v]] || least_change(v, here) >= 0) {
        slot = end_here;
        continue;
      }
      for (; slot < end_here; ++slot) {
        if (graph_->edges_of(vertex_at[slot]).size() > more_neighbours * own) continue;
        const std::int64_t now = change(v, vertex_at[slot]);
        if (now >= best) continue;
        best = now;
        partner = vertex_at[slot];
      }
    }
  }
  if (partner == v) return false;
  std::swap(vertex_at[slot_of_[v]], vertex_at[slot_of_[partner]]);
  std::swap(slot_of_[v], slot_of_[partner]);
  for (const std::uint32_t moved : {v, partner}) {
    quiet_[moved] = 0;
    for (const thread_graph::edge& e : graph_->edges_of(moved)) quiet_[e.to] = 0;
  }
  return true;
}

void sparse_descent::improve(const thread_graph& graph, std::span<std::uint32_t> vertex_at,
                             unsigned sweeps) {
  improve(graph, vertex_at, sweeps, {}, 0);
}

void sparse_descent::improve(const thread_graph& graph, std::span<std::uint32_t> vertex_at,
                             unsigned sweeps, std::span<const std::uint32_t> home_of,
                             std::int32_t price) {
  if (tree_.levels().empty()) return;
  graph_ = &graph;
  home_of_ = home_of;
  price_ = price;
  for (std::uint32_t slot = 0; slot < vertex_at.size(); ++slot) slot_of_[vertex_at[slot]] = slot;
  std::fill(quiet_.begin(), quiet_.end(), 0);
  for (unsigned s = 0; s < sweeps; ++s) {
    bool changed = false;
    for (std::uint32_t v = 0; v < vertex_at.size(); ++v) {
      if (quiet_[v] != 0) continue;
      quiet_[v] = 1;
      changed = improve_vertex(vertex_at, v) || changed;
    }
    if (!changed) return;
  }
}

std::int64_t sparse_descent::cost(const thread_graph& graph,
                                  std::span<const std::uint32_t> vertex_at) {
  for (std::uint32_t slot = 0; slot < vertex_at.size(); ++slot) slot_of_[vertex_at[slot]] = slot;
  std::int64_t twice = 0;
  for (std::uint32_t v = 0; v < vertex_at.size(); ++v) {
    for (const thread_graph::edge& e : graph.edges_of(v)) {
      twice += std::int64_t{e.weight} * tree_.distance(slot_of_[v], slot_of_[e.to]);
    }
  }
  return twice / 2;
}

}  // namespace numatch::engine
