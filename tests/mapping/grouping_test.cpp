// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/edmonds.hpp"
#include "mapping/patterns.hpp"
#include "mapping/thread_groups.hpp"

// Algorithms that put threads together from the PUs up.
namespace numatch {
namespace {

double heaviest_by_trying(const std::vector<weighted_pair>& pairs, std::size_t from,
                          std::vector<bool>& used) {
  if (from == pairs.size()) return 0;
  double best = heaviest_by_trying(pairs, from + 1, used);
  const weighted_pair& p = pairs[from];
  if (used[p.a] || used[p.b]) return best;
  used[p.a] = used[p.b] = true;
  best = std::max(best, p.weight + heaviest_by_trying(pairs, from + 1, used));
  used[p.a] = used[p.b] = false;
  return best;
}

RC_GTEST_PROP(HeaviestMatching, IsTheBestOfAll, ()) {
  const std::uint32_t vertices = *rc::gen::inRange<std::uint32_t>(1, 8);
  std::vector<weighted_pair> pairs;
  for (std::uint32_t a = 0; a < vertices; ++a) {
    for (std::uint32_t b = a + 1; b < vertices; ++b) {
      if (*rc::gen::inRange(0, 3) > 0) pairs.push_back({a, b, *rc::gen::inRange(0, 20) / 4.0});
    }
  }
  const std::vector<std::uint32_t> mate = heaviest_matching(vertices, pairs);
  double total = 0;
  for (const weighted_pair& p : pairs) {
    if (mate[p.a] == p.b) total += p.weight;
  }
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (mate[v] != no_mate) RC_ASSERT(mate[mate[v]] == v);
  }
  std::vector<bool> used(vertices);
  RC_ASSERT(std::abs(total - heaviest_by_trying(pairs, 0, used)) < 1e-9);
}

TEST(HeaviestMatching, AVeryHeavyPairDoesNotDrownTheOthers) {
  const std::vector<weighted_pair> pairs{{0, 1, 1e300}, {2, 3, 1e290}, {3, 4, 2e290}};
  EXPECT_EQ(heaviest_matching(5, pairs), (std::vector<std::uint32_t>{1, 0, no_mate, 4, 3}));
}

TEST(Groups, AggregateTheMatrix) {
  sharing_matrix sharing(4);
  sharing.set(0, 1, 1);
  sharing.set(2, 1, 10);
  sharing.set(3, 0, 100);
  const thread_groups merged = thread_groups(sharing, 6).merged({{3, 1}, {0, 2}, {4, 5}});
  EXPECT_EQ(merged.members(0), (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(merged.between(0, 1), 111) << "0-1, 1-2 and 0-3 lie between the first two";
  EXPECT_EQ(merged.between(1, 0), 111);
  EXPECT_EQ(merged.between(0, 2), 0) << "empty places share nothing";
}

TEST(Groups, FollowTheAritiesOfAnEvenTree) {
  const topology where = machine("numa:3 core:4 pu:2");
  const distance_table distances(where);
  const sharing_matrix sharing = ring(48);
  const mapping_request request{sharing, where, distances};
  const pu_tree tree(where);
  EXPECT_EQ(plan_groups(request, tree, limits_of(request, tree)).arities,
            (std::vector<std::size_t>{2, 2, 4, 3}))
      << "threads of a PU, PUs, cores, nodes";
}

TEST(Groups, UseOneHardwareThreadOfACoreWhileThatIsEnough) {
  const topology where = machine("numa:2 core:4 pu:2");
  const distance_table distances(where);
  const sharing_matrix sharing = ring(5);
  const mapping_request request{sharing, where, distances};
  const pu_tree tree(where);
  const group_plan plan = plan_groups(request, tree, limits_of(request, tree));
  EXPECT_EQ(plan.arities, (std::vector<std::size_t>{4, 2}));
  EXPECT_EQ(plan.leaf_of_place, (std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST(Groups, HalveAnUnevenTree) {
  const topology where = machine(NUMATCH_SOURCE_DIR "/tests/topology/data/uneven_packages.xml");
  const distance_table distances(where);
  const sharing_matrix sharing = ring(10);
  const mapping_request request{sharing, where, distances};
  const pu_tree tree(where);
  EXPECT_EQ(plan_groups(request, tree, limits_of(request, tree)).arities,
            (std::vector<std::size_t>{2, 2, 2, 2}))
      << "10 places";
}

class ByGroups : public testing::TestWithParam<const char*> {};

TEST_P(ByGroups, PairsThenPairsOfPairs) {
  // Threads 2i and 2i + 1 share most, then 4i .. 4i + 3, all relabelled by an odd factor.
  sharing_matrix sharing(16);
  const auto label = [](std::size_t t) { return t * 5 % 16; };
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double shared = a / 2 == b / 2 ? 1000 : a / 4 == b / 4 ? 100 : a / 8 == b / 8 ? 10 : 1;
      sharing.set(label(a), label(b), shared);
    }
  }
  const mapping_answer answer = map(GetParam(), sharing, machine("numa:2 l3:2 core:2 pu:2"));
  EXPECT_EQ(answer.cost, 8 * 1000 * 2 + 16 * 100 * 4 + 32 * 10 * 6 + 64 * 1 * 8);
}

TEST_P(ByGroups, GroupsOfAnyArity) {
  for (const unsigned nodes : {2U, 3U, 4U}) {
    for (const unsigned cores : {2U, 3U, 5U, 6U, 7U}) {
      const std::string spec = fmt::format("numa:{} core:{} pu:1", nodes, cores);
      const topology where = machine(spec.c_str());
      const sharing_matrix sharing = clusters(std::size_t{nodes} * cores, nodes);
      EXPECT_EQ(share_in_node(sharing, map(GetParam(), sharing, where).mapping, where), 1) << spec;
    }
  }
}

TEST_P(ByGroups, FewThreadsThatShareStayTogether) {
  const topology where = machine("numa:4 core:8 pu:1");
  for (const std::size_t threads : {2U, 4U, 7U}) {
    const sharing_matrix sharing = clusters(threads, 1);
    EXPECT_EQ(share_in_node(sharing, map(GetParam(), sharing, where).mapping, where), 1) << threads;
  }
}

TEST_P(ByGroups, PairsStayTogetherOnAnUnevenMachine) {
  const topology where = machine(NUMATCH_SOURCE_DIR "/tests/topology/data/uneven_packages.xml");
  EXPECT_EQ(map(GetParam(), clusters(10, 5), where).cost, 5 * 10 * 2);
}

TEST_P(ByGroups, MoreThreadsThanPusShareWithThoseTheyShareWith) {
  const topology where = machine("numa:2 core:2 pu:1");
  EXPECT_EQ(map(GetParam(), clusters(12, 4), where).cost, 0) << "3 threads of a cluster on each PU";
}

INSTANTIATE_TEST_SUITE_P(Mapping, ByGroups, testing::Values("matching", "treematch"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Matching, IsBetterThanTakingTheHeaviestPairFirst) {
  // A chain 0-1-2-3 of 5, 6, 5: the middle pair first would leave 0 and 3 alone.
  sharing_matrix sharing(4);
  sharing.set(0, 1, 5);
  sharing.set(1, 2, 6);
  sharing.set(2, 3, 5);
  EXPECT_EQ(map("matching", sharing, machine("numa:2 core:2 pu:1")).cost, 2 * 5 * 2 + 6 * 4);
}

TEST(TreeMatch, ChoosesTheGroupThatLeastLeaves) {
  // Threads 0, 1, 2 share 4 with each other; 3, 4, 5 share 1; 2 and 3 share 5.
  sharing_matrix sharing(6);
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}}) sharing.set(a, b, 4);
  for (const auto& [a, b] : {std::pair{3, 4}, {3, 5}, {4, 5}}) sharing.set(a, b, 1);
  sharing.set(2, 3, 5);
  EXPECT_EQ(map("treematch", sharing, machine("numa:2 core:3 pu:1")).cost,
            3 * 4 * 2 + 3 * 1 * 2 + 5 * 4);
}

}  // namespace
}  // namespace numatch
