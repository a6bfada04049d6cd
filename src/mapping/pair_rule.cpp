// SPDX-License-Identifier: Apache-2.0
#include "mapping/pair_rule.hpp"

#include <algorithm>

#include "mapping/group_loads.hpp"
#include "mapping/leaf_mapping.hpp"

namespace numatch {

namespace {

struct thread_pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double shared = 0;
  bool meets(const thread_pair& other) const {
    return a == other.a || a == other.b || b == other.a || b == other.b;
  }
};

std::vector<thread_pair> correlated_pairs(const sharing_matrix& sharing, const pair_rule& rule) {
  std::vector<thread_pair> pairs;
  double heaviest = 0;
  for (std::uint32_t a = 0; a < sharing.size(); ++a) {
    for (std::uint32_t b = a + 1; b < sharing.size(); ++b) {
      pairs.push_back({a, b, sharing.between(a, b)});
      heaviest = std::max(heaviest, pairs.back().shared);
    }
  }
  std::erase_if(pairs, [&](const thread_pair& p) { return p.shared <= rule.alpha * heaviest; });
  if (!rule.lower_first) std::reverse(pairs.begin(), pairs.end());
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const thread_pair& a, const thread_pair& b) { return a.shared > b.shared; });
  return pairs;
}

class pair_placer {
 public:
  pair_placer(const mapping_request& request, const pair_rule& rule)
      : request_(request),
        rule_(rule),
        tree_(request.machine, request.allowed),
        limits_(limits_of(request, tree_)),
        loads_(tree_),
        leaf_of_(request.sharing.size(), pu_tree::no_leaf) {
    std::vector<std::vector<std::uint32_t>> by_node(request.machine.node_count());
    for (std::uint32_t leaf = 0; leaf < tree_.size(); ++leaf) {
      by_node[request.machine.node_of(tree_.pu(leaf)).index()].push_back(leaf);
    }
    std::erase_if(by_node, [](const std::vector<std::uint32_t>& node) { return node.empty(); });
    nodes_ = std::move(by_node);
    for (std::uint32_t t = 0; t < request.pinned.size(); ++t) {
      if (request.pinned[t]) put(t, tree_.leaf_of(*request.pinned[t]));
    }
  }

  thread_mapping place(const std::vector<thread_pair>& pairs) {
    std::size_t node = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const bool joins = i > 0 && pairs[i].meets(pairs[i - 1]);
      if (is_placed(pairs[i].a) && is_placed(pairs[i].b)) continue;
      node = place_pair(pairs[i], i == 0 || joins ? node : node + 1);
    }
    if (rule_.alone_stay && request_.current != nullptr) leave_the_rest();
    for (std::uint32_t t = 0; t < leaf_of_.size(); ++t) {
      if (!is_placed(t) && place_one(t, 0) == nowhere) return pus_of(limits_.witness, tree_);
    }
    return pus_of(leaf_of_, tree_);
  }

 private:
  static constexpr std::size_t nowhere = ~std::size_t{0};

  bool is_placed(std::uint32_t thread) const { return leaf_of_[thread] != pu_tree::no_leaf; }
  double weight(std::uint32_t thread) const {
    return request_.weights.empty() ? 1 : request_.weights[thread];
  }
  void put(std::uint32_t thread, std::uint32_t leaf) {
    leaf_of_[thread] = leaf;
    loads_.add(leaf, weight(thread));
  }
  void take_back(std::uint32_t thread) {
    loads_.add(leaf_of_[thread], -weight(thread));
    leaf_of_[thread] = pu_tree::no_leaf;
  }

  bool fits(std::uint32_t thread, std::size_t node) {
    for (const std::uint32_t leaf : nodes_[node]) {
      if (!loads_.has_room(limits_, leaf, weight(thread))) continue;
      put(thread, leaf);
      return true;
    }
    return false;
  }

  void leave_the_rest() {
    for (std::uint32_t t = 0; t < leaf_of_.size(); ++t) {
      if (is_placed(t)) continue;
      const std::uint32_t leaf = tree_.leaf_of(request_.current->pu_of[t]);
      if (leaf != pu_tree::no_leaf && loads_.has_room(limits_, leaf, weight(t))) put(t, leaf);
    }
  }

  /// Nodes that may be tried from `node` on.
  std::size_t tries(std::size_t node) const {
    return rule_.wraps ? nodes_.size() : nodes_.size() - std::min(node, nodes_.size());
  }

  /// On the first node from `node` on, and round, that has room. Returns it.
  std::size_t place_one(std::uint32_t thread, std::size_t node) {
    for (std::size_t tried = 0; tried < tries(node); ++tried) {
      const std::size_t here = (node + tried) % nodes_.size();
      if (fits(thread, here)) return here;
    }
    return nowhere;
  }

  /// What of the pair has no place yet: together where that is possible. Returns the last node.
  std::size_t place_pair(const thread_pair& pair, std::size_t node) {
    if (is_placed(pair.a)) return found_or(place_one(pair.b, node), node);
    if (is_placed(pair.b)) return found_or(place_one(pair.a, node), node);
    for (std::size_t tried = 0; tried < tries(node); ++tried) {
      const std::size_t here = (node + tried) % nodes_.size();
      if (!fits(pair.a, here)) continue;
      if (fits(pair.b, here)) return here;
      take_back(pair.a);
    }
    return found_or(place_one(pair.b, found_or(place_one(pair.a, node), node)), node);
  }
  std::size_t found_or(std::size_t found, std::size_t node) const {
    if (found != nowhere) return found;
    return rule_.wraps ? node % nodes_.size() : node;
  }

  const mapping_request& request_;
  const pair_rule rule_;
  const pu_tree tree_;
  const load_limits limits_;
  group_loads loads_;
  std::vector<std::uint32_t> leaf_of_;
  std::vector<std::vector<std::uint32_t>> nodes_;  ///< the leaves of each node that has any
};

}  // namespace

thread_mapping map_by_pair_rule(const mapping_request& request, const pair_rule& rule) {
  return pair_placer(request, rule).place(correlated_pairs(request.sharing, rule));
}

}  // namespace numatch
