// SPDX-License-Identifier: Apache-2.0
#include "mapping/repair.hpp"

#include "mapping/group_loads.hpp"

namespace numatch {

namespace {

class repairer {
 public:
  repairer(std::vector<std::uint32_t>& leaf_of, const mapping_request& request, const pu_tree& tree,
           const load_limits& limits, const sharing_graph& graph)
      : leaf_of_(leaf_of),
        request_(request),
        tree_(tree),
        limits_(limits),
        graph_(graph),
        loads_(tree) {}

  /// False where single moves do not get there.
  bool run() {
    for (std::size_t t = 0; t < leaf_of_.size(); ++t) {
      if (is_pinned(t)) leaf_of_[t] = tree_.leaf_of(*request_.pinned[t]);
      loads_.add(leaf_of_[t], weight(t));
    }
    for (std::size_t level = 0; level < tree_.levels(); ++level) {
      for (std::uint32_t group = 0; group < tree_.groups(level).size(); ++group) {
        while (loads_.is_over(limits_, level, group)) {
          if (!move_one_out(level, group)) return false;
        }
      }
    }
    return true;
  }

 private:
  double weight(std::size_t thread) const {
    return request_.weights.empty() ? 1 : request_.weights[thread];
  }
  bool is_pinned(std::size_t thread) const {
    return !request_.pinned.empty() && request_.pinned[thread].has_value();
  }
  /// Up to where two leaves lie in different groups.
  std::size_t level_of_parting(std::uint32_t a, std::uint32_t b) const {
    std::size_t level = 1;
    while (tree_.group_of(level, a) == tree_.group_of(level, b)) ++level;
    return level;
  }

  void sum_up_pull(std::uint32_t thread);
  double cost_at(std::uint32_t thread, std::uint32_t leaf) const;
  bool move_one_out(std::size_t level, std::uint32_t group);

  std::vector<std::uint32_t>& leaf_of_;
  const mapping_request& request_;
  const pu_tree& tree_;
  const load_limits& limits_;
  const sharing_graph& graph_;
  group_loads loads_;
  std::vector<double> pull_;  ///< sharing of one thread with all on a leaf; empty: not summed up
};

/// A thread with more partners than there are PUs asks each PU once.
void repairer::sum_up_pull(std::uint32_t thread) {
  pull_.clear();
  if (graph_.edges_of(thread).size() <= tree_.size()) return;
  pull_.resize(tree_.size());
  for (const sharing_graph::edge& e : graph_.edges_of(thread)) pull_[leaf_of_[e.to]] += e.weight;
}

/// What moving the thread from where it is to a leaf adds to the cost.
double repairer::cost_at(std::uint32_t thread, std::uint32_t leaf) const {
  const pu_id from = tree_.pu(leaf_of_[thread]);
  const pu_id to = tree_.pu(leaf);
  double cost = 0;
  const auto add = [&](double shared, pu_id other) {
    cost += shared * (request_.distances.at(to, other) - request_.distances.at(from, other));
  };
  if (pull_.empty()) {
    for (const sharing_graph::edge& e : graph_.edges_of(thread)) {
      add(e.weight, tree_.pu(leaf_of_[e.to]));
    }
  } else {
    for (std::size_t other = 0; other < pull_.size(); ++other) {
      if (pull_[other] != 0) add(pull_[other], tree_.pu(other));
    }
  }
  return cost;
}

bool repairer::move_one_out(std::size_t level, std::uint32_t group) {
  std::uint32_t best_thread = 0;
  std::uint32_t best_leaf = pu_tree::no_leaf;
  double best_cost = 0;
  for (std::uint32_t t = 0; t < leaf_of_.size(); ++t) {
    if (tree_.group_of(level, leaf_of_[t]) != group || is_pinned(t)) continue;
    sum_up_pull(t);
    for (std::uint32_t leaf = 0; leaf < tree_.size(); ++leaf) {
      if (tree_.group_of(level, leaf) == group) continue;
      if (!loads_.has_room(limits_, leaf, weight(t), level_of_parting(leaf, leaf_of_[t]))) continue;
      const double cost = cost_at(t, leaf);
      const bool better =
          best_leaf == pu_tree::no_leaf || cost < best_cost ||
          (cost == best_cost && (leaf < best_leaf || (leaf == best_leaf && t < best_thread)));
      if (!better) continue;
      best_thread = t;
      best_leaf = leaf;
      best_cost = cost;
    }
  }
  if (best_leaf == pu_tree::no_leaf) return false;
  loads_.add(leaf_of_[best_thread], -weight(best_thread));
  loads_.add(best_leaf, weight(best_thread));
  leaf_of_[best_thread] = best_leaf;
  return true;
}

}  // namespace

void repair(std::vector<std::uint32_t>& leaf_of, const mapping_request& request,
            const pu_tree& tree, const load_limits& limits, const sharing_graph& graph) {
  if (!repairer(leaf_of, request, tree, limits, graph).run()) leaf_of = limits.witness;
}

}  // namespace numatch
