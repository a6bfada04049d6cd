// SPDX-License-Identifier: Apache-2.0
#include "mapping/thread_groups.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

#include "mapping/engine/slots.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/repair.hpp"

namespace numatch {

thread_groups::thread_groups(const sharing_matrix& sharing, std::size_t places)
    : members_(places), weight_(places * places) {
  for (std::uint32_t place = 0; place < places; ++place) members_[place].push_back(place);
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < sharing.size(); ++j) {
      if (i != j) weight_[i * places + j] = sharing.between(i, j);
    }
  }
}

thread_groups thread_groups::merged(const std::vector<part>& parts) const {
  thread_groups result;
  result.members_.resize(parts.size());
  result.weight_.resize(parts.size() * parts.size());
  std::vector<std::uint32_t> part_of(size(), ~0U);
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    for (const std::uint32_t group : parts[p]) {
      part_of[group] = p;
      result.members_[p].insert(result.members_[p].end(), members_[group].begin(),
                                members_[group].end());
    }
  }
  for (std::size_t a = 0; a < size(); ++a) {
    for (std::size_t b = 0; b < size(); ++b) {
      if (part_of[a] == ~0U || part_of[b] == ~0U || part_of[a] == part_of[b]) continue;
      result.weight_[part_of[a] * parts.size() + part_of[b]] += between(a, b);
    }
  }
  return result;
}

namespace {

/// Threads that a leaf is to hold.
std::vector<std::uint32_t> places_of_leaves(const mapping_request& request, const pu_tree& tree,
                                            const load_limits& limits) {
  const bool alike = std::adjacent_find(request.weights.begin(), request.weights.end(),
                                        std::not_equal_to<>()) == request.weights.end();
  if (alike && request.pinned.empty()) return engine::slots_of_leaves(limits, tree);
  std::vector<std::uint32_t> places(tree.size());
  for (const std::uint32_t leaf : limits.witness) ++places[leaf];
  return places;
}

/// Arities from the places up; empty where the tree is uneven.
std::vector<std::size_t> even_arities(const pu_tree& tree, std::size_t places_per_leaf) {
  std::vector<std::size_t> arities;
  if (places_per_leaf > 1) arities.push_back(places_per_leaf);
  for (std::size_t level = tree.levels() - 1; level > 0; --level) {
    const std::span<const pu_tree::group> groups = tree.groups(level);
    const std::span<const pu_tree::group> above = tree.groups(level - 1);
    for (const pu_tree::group& g : groups) {
      if (g.size() != groups.front().size()) return {};
    }
    if (groups.size() % above.size() != 0) return {};
    arities.push_back(groups.size() / above.size());
  }
  return arities;
}

}  // namespace

group_plan plan_groups(const mapping_request& request, const pu_tree& tree,
                       const load_limits& limits) {
  const std::vector<std::uint32_t> places = places_of_leaves(request, tree, limits);
  group_plan plan;
  std::vector<pu_id> used;
  bool alike = true;
  for (std::uint32_t leaf = 0; leaf < tree.size(); ++leaf) {
    plan.leaf_of_place.insert(plan.leaf_of_place.end(), places[leaf], leaf);
    if (places[leaf] == 0) continue;
    used.push_back(tree.pu(leaf));
    alike = alike && places[leaf] == places[tree.leaf_of(used.front())];
  }
  if (alike) {
    plan.arities =
        even_arities(pu_tree(request.machine, used), plan.leaf_of_place.size() / used.size());
  }
  const std::size_t product = std::accumulate(plan.arities.begin(), plan.arities.end(),
                                              std::size_t{1}, std::multiplies<>());
  if (product != plan.leaf_of_place.size()) {
    plan.arities.assign(static_cast<std::size_t>(std::bit_width(plan.leaf_of_place.size() - 1)), 2);
  }
  return plan;
}

thread_mapping map_by_groups(const mapping_request& request, group_rule rule) {
  const pu_tree tree(request.machine, request.allowed);
  const load_limits limits = limits_of(request, tree);
  const group_plan plan = plan_groups(request, tree, limits);
  const std::size_t places = std::accumulate(plan.arities.begin(), plan.arities.end(),
                                             std::size_t{1}, std::multiplies<>());
  thread_groups groups(request.sharing, places);
  for (const std::size_t arity : plan.arities) groups = groups.merged(rule(groups, arity));

  const std::size_t threads = request.sharing.size();
  std::vector<std::uint32_t> leaf_of(threads);
  std::size_t spare = places - plan.leaf_of_place.size();
  std::size_t next = plan.leaf_of_place.size();
  // From the end, so that the empty places beyond those of the machine are the last ones.
  const std::vector<std::uint32_t>& order = groups.members(0);
  for (std::size_t i = order.size(); i-- > 0;) {
    if (order[i] >= threads && spare > 0) {
      --spare;
      continue;
    }
    --next;
    if (order[i] < threads) leaf_of[order[i]] = plan.leaf_of_place[next];
  }
  repair(leaf_of, request, tree, limits, sharing_graph(request.sharing));
  return pus_of(leaf_of, tree);
}

}  // namespace numatch
