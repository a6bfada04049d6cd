// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/sparse_descent.hpp"

#include <algorithm>

namespace numatch::engine {

namespace {
constexpr std::size_t most_neighbours = 12;  ///< of a vertex that are gone to
constexpr std::uint32_t most_slots = 8;      ///< tried around each of them
}  // namespace

sparse_descent::sparse_descent(const slot_tree& tree, const thread_graph& graph)
    : tree_(tree), graph_(graph) {
  slot_of_.resize(tree.size());
  quiet_.resize(tree.size());
}

std::int64_t sparse_descent::change(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t at_a = slot_of_[a];
  const std::uint32_t at_b = slot_of_[b];
  std::int64_t sum = 0;
  for (const thread_graph::edge& e : graph_.edges_of(a)) {
    if (e.to == b) continue;
    const std::uint32_t other = slot_of_[e.to];
    sum += std::int64_t{e.weight} * (tree_.distance(at_b, other) - tree_.distance(at_a, other));
  }
  for (const thread_graph::edge& e : graph_.edges_of(b)) {
    if (e.to == a) continue;
    const std::uint32_t other = slot_of_[e.to];
    sum += std::int64_t{e.weight} * (tree_.distance(at_a, other) - tree_.distance(at_b, other));
  }
  return sum;
}

bool sparse_descent::improve_vertex(std::span<std::uint32_t> vertex_at, std::uint32_t v) {
  const slot_tree::level& smallest = tree_.levels().back();
  std::int64_t best = 0;
  std::uint32_t partner = v;
  std::size_t seen = 0;
  for (const thread_graph::edge& e : graph_.edges_of(v)) {
    if (++seen > most_neighbours) break;
    const std::uint32_t at = slot_of_[e.to];
    if (tree_.distance(at, slot_of_[v]) == 0) continue;
    const std::uint32_t group = smallest.group_of[at];
    const std::uint32_t first = smallest.first[group];
    const std::uint32_t end = std::min(smallest.first[group + 1], first + most_slots);
    for (std::uint32_t slot = first; slot < end; ++slot) {
      if (slot == at && end - first > 1) continue;
      const std::int64_t now = change(v, vertex_at[slot]);
      if (now >= best) continue;
      best = now;
      partner = vertex_at[slot];
    }
  }
  if (partner == v) return false;
  std::swap(vertex_at[slot_of_[v]], vertex_at[slot_of_[partner]]);
  std::swap(slot_of_[v], slot_of_[partner]);
  for (const std::uint32_t moved : {v, partner}) {
    quiet_[moved] = 0;
    for (const thread_graph::edge& e : graph_.edges_of(moved)) quiet_[e.to] = 0;
  }
  return true;
}

void sparse_descent::improve(std::span<std::uint32_t> vertex_at, unsigned sweeps) {
  if (tree_.levels().empty()) return;
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

std::int64_t sparse_descent::cost(std::span<const std::uint32_t> vertex_at) {
  for (std::uint32_t slot = 0; slot < vertex_at.size(); ++slot) slot_of_[vertex_at[slot]] = slot;
  std::int64_t twice = 0;
  for (std::uint32_t v = 0; v < vertex_at.size(); ++v) {
    for (const thread_graph::edge& e : graph_.edges_of(v)) {
      twice += std::int64_t{e.weight} * tree_.distance(slot_of_[v], slot_of_[e.to]);
    }
  }
  return twice / 2;
}

}  // namespace numatch::engine
