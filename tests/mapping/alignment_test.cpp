// SPDX-License-Identifier: Apache-2.0
#include "mapping/alignment.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/assignment.hpp"
#include "mapping/fuzzed_request.hpp"
#include "mapping/level_costs.hpp"
#include "mapping/limits.hpp"
#include "mapping/patterns.hpp"

namespace numatch {
namespace {

using leaves = std::vector<std::uint32_t>;
constexpr std::uint32_t nowhere = pu_tree::no_leaf;

leaves aligned(leaves mapping, const leaves& current, const pu_tree& tree,
               std::span<const std::optional<pu_id>> pinned = {}) {
  align_to(mapping, current, tree, pinned);
  return mapping;
}

std::int64_t value_of(const std::vector<std::int64_t>& value, std::size_t k,
                      std::span<const std::uint32_t> columns) {
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < k; ++row) sum += value[row * k + columns[row]];
  return sum;
}

RC_GTEST_PROP(Assignment, IsTheBestOfAllPermutations, ()) {
  const std::size_t k = *rc::gen::inRange<std::size_t>(1, 7);
  const int most = *rc::gen::element(2, 5, 1000);
  std::vector<std::int64_t> value(k * k);
  for (std::int64_t& v : value) v = *rc::gen::inRange(-most, most);
  leaves columns(k);
  std::iota(columns.begin(), columns.end(), 0U);
  std::int64_t best = value_of(value, k, columns);
  while (std::next_permutation(columns.begin(), columns.end())) {
    best = std::max(best, value_of(value, k, columns));
  }
  assignment_solver solver;
  const std::span<const std::uint32_t> solved = solver.solve(value, k);
  RC_ASSERT(value_of(value, k, solved) == best);
  leaves sorted(solved.begin(), solved.end());
  std::sort(sorted.begin(), sorted.end());
  std::iota(columns.begin(), columns.end(), 0U);
  RC_ASSERT(sorted == columns);
}

TEST(Alignment, ARelabelledMappingMovesNobody) {
  const pu_tree tree(machine("numa:2 core:2 pu:2"));
  EXPECT_EQ(aligned({6, 7, 4, 5, 0, 1, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, tree),
            (leaves{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Alignment, MovesOnlyThoseThatChangedTheirCompany) {
  // Threads 1 and 4 changed nodes, and the nodes changed their names.
  const pu_tree tree(machine("numa:2 core:3 pu:1"));
  EXPECT_EQ(aligned({4, 2, 3, 1, 5, 0}, {0, 1, 2, 3, 4, 5}, tree), (leaves{0, 4, 2, 3, 1, 5}));
}

TEST(Alignment, AThreadThatRunsNowhereYetDecidesNothing) {
  const pu_tree tree(machine("numa:2 core:2 pu:1"));
  EXPECT_EQ(aligned({0, 1, 2}, {nowhere, nowhere, 1}, tree), (leaves{2, 3, 1}));
}

TEST(Alignment, PartsOfDifferentShapeStay) {
  const topology where = machine(NUMATCH_SOURCE_DIR "/tests/topology/data/uneven_packages.xml");
  const pu_tree tree(where);
  ASSERT_EQ(tree.size(), 10U);
  EXPECT_EQ(aligned({0, 8}, {8, 0}, tree), (leaves{0, 8})) << "8 PUs beside 2";
}

TEST(Alignment, PartsWithPinnedThreadsStay) {
  const pu_tree tree(machine("numa:2 core:2 pu:1"));
  const std::vector<std::optional<pu_id>> pins{pu_id(0), {}, {}, {}};
  EXPECT_EQ(aligned({0, 1, 2, 3}, {0, 3, 1, 2}, tree, pins), (leaves{0, 1, 3, 2}));
}

TEST(Alignment, OfOnePuIsItself) {
  EXPECT_EQ(aligned({0, 0}, {0, nowhere}, pu_tree(machine("numa:1 pu:1"))), (leaves{0, 0}));
}

std::size_t stay(const leaves& a, const leaves& b) {
  std::size_t same = 0;
  for (std::size_t t = 0; t < a.size(); ++t) same += a[t] == b[t] ? 1U : 0U;
  return same;
}

/// The greatest number of threads that can stay, over all changes of equal parts: by trying all
/// permutations of the leaves that keep the distances and the pinned leaves.
std::size_t most_that_can_stay(const leaves& mapping, const leaves& current, const pu_tree& tree,
                               const fuzzed_case& drawn) {
  leaves order(tree.size());
  std::iota(order.begin(), order.end(), 0U);
  std::size_t best = 0;
  do {
    bool keeps = true;
    for (std::uint32_t a = 0; a < order.size() && keeps; ++a) {
      for (std::uint32_t b = 0; b < a && keeps; ++b) {
        keeps = drawn.distances.at(tree.pu(a), tree.pu(b)) ==
                drawn.distances.at(tree.pu(order[a]), tree.pu(order[b]));
      }
    }
    for (const std::optional<pu_id>& pin : drawn.pinned) {
      if (pin) keeps = keeps && order[tree.leaf_of(*pin)] == tree.leaf_of(*pin);
    }
    if (!keeps) continue;
    leaves moved = mapping;
    for (std::uint32_t& leaf : moved) leaf = order[leaf];
    best = std::max(best, stay(moved, current));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

/// A mapping of a drawn request that leaves pinned threads in their places.
leaves draw_mapping(const fuzzed_case& drawn, const pu_tree& tree) {
  leaves mapping;
  for (std::size_t t = 0; t < drawn.sharing.size(); ++t) {
    const bool pinned = !drawn.pinned.empty() && drawn.pinned[t];
    mapping.push_back(
        pinned ? tree.leaf_of(*drawn.pinned[t])
               : *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(tree.size())));
  }
  return mapping;
}

RC_GTEST_PROP(Alignment, MovesAsFewAsAnyChangeOfEqualParts, ()) {
  const fuzzed_case drawn = draw_case(10, {true, true, false, false});
  const pu_tree tree(drawn.machine, drawn.allowed);
  RC_PRE(tree.size() <= 7U);
  const leaves mapping = draw_mapping(drawn, tree);
  leaves current = draw_mapping(drawn, tree);
  if (chance(30)) current.front() = nowhere;
  const leaves result = aligned(mapping, current, tree, drawn.pinned);
  RC_ASSERT(stay(result, current) == most_that_can_stay(mapping, current, tree, drawn));
}

RC_GTEST_PROP(Alignment, KeepsTheCostThePinsAndTheLimits, ()) {
  const fuzzed_case drawn = draw_case(24);
  RC_PRE(costs_by_level(drawn.machine, drawn.distances).exact);
  const mapping_request request = drawn.request();
  const pu_tree tree(drawn.machine, drawn.allowed);
  const load_limits limits = limits_of(request, tree);
  const leaves current = draw_mapping(drawn, tree);
  const leaves result = aligned(limits.witness, current, tree, drawn.pinned);
  RC_ASSERT(keeps_limits(result, request, tree, limits));
  const auto cost = [&](const leaves& places) {
    thread_mapping mapping;
    for (const std::uint32_t leaf : places) mapping.pu_of.push_back(tree.pu(leaf));
    return mapping_cost(drawn.sharing, mapping, drawn.distances);
  };
  RC_ASSERT(cost(result) == cost(limits.witness));
  RC_ASSERT(stay(result, current) >= stay(limits.witness, current));
  RC_ASSERT(aligned(result, current, tree, drawn.pinned) == result);
}

}  // namespace
}  // namespace numatch
