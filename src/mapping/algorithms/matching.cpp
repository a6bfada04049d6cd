// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "mapping/assignment.hpp"
#include "mapping/edmonds.hpp"
#include "mapping/thread_groups.hpp"

namespace numatch {

namespace {

using part = thread_groups::part;

/// `count` pairs of groups, the heaviest of a matching of greatest weight; where the matching has
/// fewer, the rest are made in order of those that it left alone. Then come the groups in no pair.
struct pairs_and_rest {
  std::vector<part> pairs;
  part alone;
};

pairs_and_rest pair_up(const thread_groups& groups, std::size_t count) {
  std::vector<weighted_pair> edges;
  for (std::uint32_t a = 0; a < groups.size(); ++a) {
    for (std::uint32_t b = a + 1; b < groups.size(); ++b) {
      if (groups.between(a, b) > 0) edges.push_back({a, b, groups.between(a, b)});
    }
  }
  const std::vector<std::uint32_t> mate = heaviest_matching(groups.size(), edges);
  pairs_and_rest made;
  for (std::uint32_t a = 0; a < groups.size(); ++a) {
    if (mate[a] != no_mate && a < mate[a]) made.pairs.push_back({a, mate[a]});
  }
  if (made.pairs.size() > count) {
    std::stable_sort(made.pairs.begin(), made.pairs.end(), [&](const part& a, const part& b) {
      return groups.between(a[0], a[1]) > groups.between(b[0], b[1]);
    });
    made.pairs.resize(count);
  }
  std::vector<bool> paired(groups.size());
  for (const part& pair : made.pairs) paired[pair[0]] = paired[pair[1]] = true;
  for (std::uint32_t a = 0; a < groups.size(); ++a) {
    if (!paired[a]) made.alone.push_back(a);
  }
  while (made.pairs.size() < count) {
    made.pairs.push_back({made.alone[0], made.alone[1]});
    made.alone.erase(made.alone.begin(), made.alone.begin() + 2);
  }
  return made;
}

/// Adds one of `alone` to each part so that they share as much as possible with it.
void add_one_each(const thread_groups& groups, const part& alone, std::vector<part>& parts) {
  const std::size_t k = parts.size();
  std::vector<double> shared(k * k);
  double most = 0;
  for (std::size_t row = 0; row < k; ++row) {
    for (std::size_t column = 0; column < k; ++column) {
      double& sum = shared[row * k + column];
      for (const std::uint32_t member : parts[column]) sum += groups.between(alone[row], member);
      most = std::max(most, sum);
    }
  }
  std::vector<std::int64_t> value(k * k);
  if (most > 0) {
    const double unit = std::ldexp(1.0, 40) / most;
    std::transform(shared.begin(), shared.end(), value.begin(),
                   [&](double sum) { return static_cast<std::int64_t>(sum * unit); });
  }
  assignment_solver solver;
  const std::span<const std::uint32_t> part_of = solver.solve(value, k);
  for (std::size_t row = 0; row < k; ++row) parts[part_of[row]].push_back(alone[row]);
}

/// Groups are paired, the pairs are paired, and so on. Where an odd number belongs together, as
/// many stay alone as there will be groups, and join one each at the end.
std::vector<part> match(const thread_groups& groups, std::size_t arity) {
  const std::size_t count = groups.size() / arity;
  std::vector<part> parts;
  if (arity == 1) {
    for (std::uint32_t g = 0; g < groups.size(); ++g) parts.push_back({g});
    return parts;
  }
  const pairs_and_rest made = pair_up(groups, arity / 2 * count);
  for (const part& of_pairs : match(groups.merged(made.pairs), arity / 2)) {
    part& joined = parts.emplace_back();
    for (const std::uint32_t pair : of_pairs) {
      joined.insert(joined.end(), made.pairs[pair].begin(), made.pairs[pair].end());
    }
  }
  if (arity % 2 == 1) add_one_each(groups, made.alone, parts);
  return parts;
}

result<thread_mapping> map_by_matching(const mapping_request& request) {
  return map_by_groups(request, match);
}

}  // namespace

extern const mapping_algorithm matching_algorithm{
    "matching", "SPCD: Edmonds' matching pairs threads, then pairs of pairs, up the hierarchy",
    map_by_matching};

}  // namespace numatch
