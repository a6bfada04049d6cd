// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "mapping/thread_groups.hpp"

namespace numatch {

namespace {

using part = thread_groups::part;

/// Up to so many ways to choose one group all of them are looked at.
constexpr std::size_t most_candidates = 30'000;

/// Ways to choose `arity` of n, or most_candidates + 1 where there are more.
std::size_t ways_to_choose(std::size_t n, std::size_t arity) {
  std::size_t ways = 1;
  for (std::size_t k = 1; k <= arity; ++k) {
    ways = ways * (n - arity + k) / k;
    if (ways > most_candidates) return most_candidates + 1;
  }
  return ways;
}

/// What the members of a part share with groups outside it.
double leaving(const thread_groups& groups, const std::vector<double>& total, const part& members) {
  double sum = 0;
  for (const std::uint32_t a : members) {
    sum += total[a];
    for (const std::uint32_t b : members) sum -= groups.between(a, b);
  }
  return sum;
}

/// The next choice of `arity` out of n in the order of the alphabet; false after the last one.
bool next_choice(part& choice, std::size_t n) {
  for (std::size_t i = choice.size(); i-- > 0;) {
    if (choice[i] + choice.size() - i >= n) continue;
    ++choice[i];
    for (std::size_t j = i + 1; j < choice.size(); ++j) choice[j] = choice[j - 1] + 1;
    return true;
  }
  return false;
}

/// Of all possible groups those that least leaves, one after another, as long as they are disjoint.
std::vector<part> choose_among_all(const thread_groups& groups, std::size_t arity,
                                   const std::vector<double>& total) {
  std::vector<std::pair<double, part>> candidates;
  part choice(arity);
  std::iota(choice.begin(), choice.end(), 0U);
  do {
    candidates.emplace_back(leaving(groups, total, choice), choice);
  } while (next_choice(choice, groups.size()));
  std::sort(candidates.begin(), candidates.end());
  std::vector<part> parts;
  std::vector<bool> taken(groups.size());
  for (const auto& [left, members] : candidates) {
    if (std::any_of(members.begin(), members.end(), [&](std::uint32_t m) { return taken[m]; })) {
      continue;
    }
    for (const std::uint32_t m : members) taken[m] = true;
    parts.push_back(members);
  }
  return parts;
}

/// Groups grow from the heaviest pair that is free: each time joins the one that shares the most
/// with the group, of equals the one that shares least in all.
std::vector<part> grow(const thread_groups& groups, std::size_t arity,
                       const std::vector<double>& total) {
  const std::size_t n = groups.size();
  std::vector<std::uint32_t> seeds(n);
  std::iota(seeds.begin(), seeds.end(), 0U);
  std::vector<double> heaviest(n);
  for (std::size_t g = 0; g < n; ++g) {
    heaviest[g] = *std::max_element(groups.row(g).begin(), groups.row(g).end());
  }
  std::stable_sort(seeds.begin(), seeds.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return heaviest[a] > heaviest[b]; });
  std::vector<part> parts;
  std::vector<bool> taken(n);
  std::vector<double> pull(n);
  for (const std::uint32_t seed : seeds) {
    if (taken[seed]) continue;
    part members{seed};
    taken[seed] = true;
    std::copy(groups.row(seed).begin(), groups.row(seed).end(), pull.begin());
    while (members.size() < arity) {
      std::uint32_t best = 0;
      bool found = false;
      for (std::uint32_t g = 0; g < n; ++g) {
        if (taken[g]) continue;
        const bool better =
            pull[g] > pull[best] || (pull[g] == pull[best] && total[g] < total[best]);
        if (found && !better) continue;
        best = g;
        found = true;
      }
      members.push_back(best);
      taken[best] = true;
      for (std::size_t g = 0; g < n; ++g) pull[g] += groups.between(best, g);
    }
    parts.push_back(std::move(members));
  }
  return parts;
}

std::vector<part> group_by_tree(const thread_groups& groups, std::size_t arity) {
  std::vector<double> total;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    total.push_back(std::accumulate(groups.row(g).begin(), groups.row(g).end(), 0.0));
  }
  if (ways_to_choose(groups.size(), arity) <= most_candidates) {
    return choose_among_all(groups, arity, total);
  }
  return grow(groups, arity, total);
}

result<thread_mapping> map_by_tree(const mapping_request& request) {
  return map_by_groups(request, group_by_tree);
}

}  // namespace

extern const mapping_algorithm treematch_algorithm{
    "treematch", "groups from the PUs up, on each level those that share least with others",
    map_by_tree};

}  // namespace numatch
