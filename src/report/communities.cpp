// SPDX-License-Identifier: Apache-2.0
#include "report/communities.hpp"

#include <numeric>

namespace numatch::report {

namespace {

/// Numbers groups 0, 1, … in the order of their first member; returns how many there are.
std::size_t renumber(std::vector<std::size_t>& of) {
  std::vector<std::size_t> number(of.size(), of.size());
  std::size_t count = 0;
  for (std::size_t& group : of) {
    if (number[group] == of.size()) number[group] = count++;
    group = number[group];
  }
  return count;
}

/// One level of the method: every vertex a group of its own, then moves until none helps. The
/// diagonal of `weights` holds what is inside a vertex.
std::vector<std::size_t> move_vertices(const sharing_matrix& weights) {
  const std::size_t n = weights.size();
  const double total = weights.total();
  std::vector<double> degree(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) degree[i] += weights.at(i, j);
  }
  std::vector<std::size_t> of(n);
  std::iota(of.begin(), of.end(), std::size_t{0});
  std::vector<double> group_degree = degree;
  std::vector<double> to_group(n);
  constexpr int most_passes = 50;
  bool moved = true;
  for (int pass = 0; pass < most_passes && moved; ++pass) {
    moved = false;
    for (std::size_t i = 0; i < n; ++i) {
      to_group.assign(n, 0.0);
      for (std::size_t j = 0; j < n; ++j) {
        if (j != i) to_group[of[j]] += weights.at(i, j);
      }
      group_degree[of[i]] -= degree[i];
      std::size_t best = of[i];
      const auto gain = [&](std::size_t group) {
        return to_group[group] - degree[i] * group_degree[group] / total;
      };
      for (std::size_t group = 0; group < n; ++group) {
        if (to_group[group] > 0 && gain(group) > gain(best) + 1e-12 * total) best = group;
      }
      moved = moved || best != of[i];
      of[i] = best;
      group_degree[best] += degree[i];
    }
  }
  return of;
}

}  // namespace

communities find_communities(const sharing_matrix& weights) {
  const std::size_t n = weights.size();
  communities found;
  found.of.resize(n);
  std::iota(found.of.begin(), found.of.end(), std::size_t{0});
  found.count = n;
  const double total = weights.total();
  if (total <= 0) return found;

  sharing_matrix level = weights;
  for (;;) {
    std::vector<std::size_t> of = move_vertices(level);
    const std::size_t groups = renumber(of);
    for (std::size_t& group : found.of) group = of[group];
    if (groups == level.size()) break;
    sharing_matrix merged(groups);
    for (std::size_t i = 0; i < level.size(); ++i) {
      for (std::size_t j = 0; j < level.size(); ++j) merged.add(of[i], of[j], level.at(i, j));
    }
    level = std::move(merged);
  }
  found.count = renumber(found.of);

  double by_chance = 0;
  for (std::size_t g = 0; g < level.size(); ++g) {
    double degree = 0;
    for (std::size_t h = 0; h < level.size(); ++h) degree += level.at(g, h);
    by_chance += degree / total * (degree / total);
    found.inside += level.at(g, g) / total;
  }
  found.modularity = found.inside - by_chance;
  return found;
}

}  // namespace numatch::report
