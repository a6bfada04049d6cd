// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/sparse_regrouping.hpp"

#include <utility>

namespace numatch::engine {

sparse_regrouping::sparse_regrouping(const slot_tree& tree) : tree_(tree), slot_of_(tree.size()) {
  pull_.reserve(tree.size());
  before_.reserve(tree.size());
}

template <class Say>
void sparse_regrouping::for_each_slot(const group_pair& groups, Say say) const {
  const std::vector<std::uint32_t>& first = tree_.levels()[groups.level].first;
  for (const std::uint32_t group : {groups.a, groups.b}) {
    for (std::uint32_t slot = first[group]; slot < first[group + 1]; ++slot) say(slot);
  }
}

bool sparse_regrouping::is_in(const group_pair& groups, std::uint32_t slot) const {
  const std::uint32_t group = tree_.levels()[groups.level].group_of[slot];
  return group == groups.a || group == groups.b;
}

/// The groups, of a level, of two vertices that share something.
bool sparse_regrouping::choose(group_pair& chosen, std::size_t most, random_source& random) const {
  const std::uint32_t v = random.below(static_cast<std::uint32_t>(tree_.size()));
  const std::span<const thread_graph::edge> edges = graph_->edges_of(v);
  if (edges.empty()) return false;
  const std::uint32_t other = edges[random.below(static_cast<std::uint32_t>(edges.size()))].to;
  chosen.level = random.below(static_cast<std::uint32_t>(tree_.levels().size()));
  const slot_tree::level& here = tree_.levels()[chosen.level];
  chosen.a = here.group_of[slot_of_[v]];
  chosen.b = here.group_of[slot_of_[other]];
  if (chosen.a == chosen.b) return false;
  if (chosen.a > chosen.b) std::swap(chosen.a, chosen.b);
  const std::size_t count = here.first[chosen.a + 1] - here.first[chosen.a] +
                            here.first[chosen.b + 1] - here.first[chosen.b];
  return count > 2 && count <= most;
}

/// Twice what the vertices of two groups pay.
std::int64_t sparse_regrouping::twice_cost(const group_pair& groups,
                                           std::span<const std::uint32_t> vertex_at) const {
  std::int64_t sum = 0;
  for_each_slot(groups, [&](std::uint32_t slot) {
    for (const thread_graph::edge& e : graph_->edges_of(vertex_at[slot])) {
      const std::uint32_t at = slot_of_[e.to];
      sum += std::int64_t{e.weight} * tree_.distance(slot, at) * (is_in(groups, at) ? 1 : 2);
    }
  });
  return sum;
}

/// What each vertex costs more in the second group because of those in neither.
void sparse_regrouping::weigh(const group_pair& groups, std::span<const std::uint32_t> vertex_at) {
  const slot_tree::level& here = tree_.levels()[groups.level];
  const std::uint32_t in_a = here.first[groups.a];
  const std::uint32_t in_b = here.first[groups.b];
  const std::int32_t apart = tree_.distance(in_a, in_b) - tree_.distance_inside(groups.level);
  pull_.clear();
  for_each_slot(groups, [&](std::uint32_t slot) {
    std::int64_t sum = 0;
    for (const thread_graph::edge& e : graph_->edges_of(vertex_at[slot])) {
      const std::uint32_t at = slot_of_[e.to];
      if (is_in(groups, at)) continue;
      sum += std::int64_t{e.weight} * (tree_.distance(in_b, at) - tree_.distance(in_a, at));
    }
    pull_.push_back(static_cast<std::int32_t>(sum / apart));
  });
}

void sparse_regrouping::improve(const thread_graph& graph, std::span<std::uint32_t> vertex_at,
                                tree_cutter& cutter, std::uint64_t rounds, std::size_t most,
                                random_source& random) {
  if (tree_.levels().empty()) return;
  graph_ = &graph;
  for (std::uint32_t slot = 0; slot < vertex_at.size(); ++slot) slot_of_[vertex_at[slot]] = slot;
  group_pair groups;
  for (std::uint64_t r = 0; r < rounds; ++r) {
    if (!choose(groups, most, random)) continue;
    weigh(groups, vertex_at);
    const std::int64_t cost = twice_cost(groups, vertex_at);
    before_.clear();
    for_each_slot(groups, [&](std::uint32_t slot) { before_.push_back(vertex_at[slot]); });
    cutter.recut(graph, groups.level, groups.a, groups.b, pull_, {1, 0}, random, vertex_at);
    for_each_slot(groups, [&](std::uint32_t slot) { slot_of_[vertex_at[slot]] = slot; });
    if (twice_cost(groups, vertex_at) <= cost) continue;
    std::size_t next = 0;
    for_each_slot(groups, [&](std::uint32_t slot) {
      vertex_at[slot] = before_[next++];
      slot_of_[vertex_at[slot]] = slot;
    });
  }
}

}  // namespace numatch::engine
