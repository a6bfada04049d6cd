// SPDX-License-Identifier: Apache-2.0
#include "mapping/limits.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "mapping/fuzzed_request.hpp"
#include "mapping/patterns.hpp"

namespace numatch {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
using numbers = std::vector<double>;
using leaves = std::vector<std::uint32_t>;

/// A request of `threads` alike threads on a machine, to be changed by a test.
struct asked {
  sharing_matrix sharing;
  topology where;
  distance_table distances;
  mapping_request request;
  pu_tree tree;

  asked(const char* spec, const sharing_matrix& shared, fill_policy policy)
      : sharing(shared),
        where(machine(spec)),
        distances(where),
        request{sharing, where, distances, 1, mapping_budget::standard, policy},
        tree(where) {}
  asked(const asked&) = delete;
  asked& operator=(const asked&) = delete;
  load_limits limits() const { return limits_of(request, tree); }
};

TEST(Limits, PackLimitsOnlyThePus) {
  const load_limits limits = asked("numa:2 core:2 pu:2", ring(10), fill_policy::pack).limits();
  ASSERT_EQ(limits.limit.size(), 4U);
  EXPECT_EQ(limits.limit[1], (numbers{none, none}));
  EXPECT_EQ(limits.limit[2], (numbers{none, none, none, none}));
  EXPECT_EQ(limits.limit[3], numbers(8, 2)) << "10 threads on 8 PUs";
}

TEST(Limits, SpreadLimitsEveryLevelToItsShareRoundedUp) {
  const load_limits limits = asked("numa:2 core:2 pu:2", ring(3), fill_policy::spread).limits();
  EXPECT_EQ(limits.limit[1], (numbers{2, 2})) << "3 threads on 2 nodes";
  EXPECT_EQ(limits.limit[2], numbers(4, 1));
  EXPECT_EQ(limits.limit[3], numbers(8, 1));
}

TEST(Limits, AutomaticSharesNoCoreWhileAnotherIsIdle) {
  const load_limits few = asked("numa:2 core:2 pu:2", ring(4), fill_policy::automatic).limits();
  EXPECT_EQ(few.limit[1], (numbers{none, none})) << "nodes are the cost's matter";
  EXPECT_EQ(few.limit[2], numbers(4, 1));
  const load_limits more = asked("numa:2 core:2 pu:2", ring(5), fill_policy::automatic).limits();
  EXPECT_EQ(more.limit[1], (numbers{none, none}));
  EXPECT_EQ(more.limit[2], numbers(4, 2));
  EXPECT_EQ(more.limit[3], numbers(8, 1));
}

TEST(Limits, AutomaticLimitsEveryLevelWhenThereIsNothingToGain) {
  const asked nothing("numa:2 core:2 pu:2", sharing_matrix(2), fill_policy::automatic);
  EXPECT_EQ(nothing.limits().limit[1], (numbers{1, 1})) << "nothing is shared";
  const asked many("numa:2 core:2 pu:2", ring(9), fill_policy::automatic);
  EXPECT_EQ(many.limits().limit[1], (numbers{5, 5})) << "more threads than PUs";
}

TEST(Limits, TheDiagonalIsNotSharing) {
  sharing_matrix own(2);
  own.set(1, 1, 7);
  EXPECT_EQ(asked("numa:2 core:2 pu:2", own, fill_policy::automatic).limits().limit[1],
            (numbers{1, 1}));
}

TEST(Limits, ACoreIsFoundByItsL1CacheWhereANodeHasJustOne) {
  const load_limits limits =
      asked("numa:4 l1:1 core:1 pu:2", ring(4), fill_policy::automatic).limits();
  EXPECT_EQ(limits.limit[1], numbers(4, 1));
}

TEST(Limits, ACoreThatIsAllThatIsAllowedOfANodeStaysACore) {
  asked four("numa:2 core:2 pu:2", ring(2), fill_policy::automatic);
  const std::vector<pu_id> allowed{pu_id(0), pu_id(1), pu_id(4), pu_id(5)};
  four.request.allowed = allowed;
  const pu_tree tree(four.where, allowed);
  EXPECT_EQ(tree.levels(), 3U);
  EXPECT_EQ(limits_of(four.request, tree).limit[1], (numbers{1, 1}));
}

TEST(Limits, ASmallPartGetsASmallShare) {
  const asked uneven(NUMATCH_SOURCE_DIR "/tests/topology/data/uneven_packages.xml", ring(5),
                     fill_policy::spread);
  const load_limits limits = uneven.limits();
  EXPECT_EQ(limits.limit[1], (numbers{4, 1})) << "5 threads on 8 + 2 PUs";
}

TEST(Limits, ThreadsThatFillEveryPuAreUniform) {
  EXPECT_TRUE(asked("numa:2 core:2 pu:1", ring(8), fill_policy::pack).limits().uniform);
  EXPECT_FALSE(asked("numa:2 core:2 pu:1", ring(7), fill_policy::pack).limits().uniform);
  EXPECT_FALSE(asked("numa:2 core:2 pu:1", ring(2), fill_policy::pack).limits().uniform);
  asked weighted("numa:2 core:2 pu:1", ring(4), fill_policy::pack);
  const numbers alike(4, 2.5);
  weighted.request.weights = alike;
  EXPECT_TRUE(weighted.limits().uniform);
  EXPECT_EQ(weighted.limits().limit[2], numbers(4, 2.5));
  const numbers unlike{2, 2, 2, 1};
  weighted.request.weights = unlike;
  EXPECT_FALSE(weighted.limits().uniform);
  asked pinned("numa:2 core:2 pu:1", ring(4), fill_policy::pack);
  const std::vector<std::optional<pu_id>> pins{pu_id(2), {}, {}, {}};
  pinned.request.pinned = pins;
  EXPECT_FALSE(pinned.limits().uniform);
}

TEST(Limits, AHeavyThreadIsWeighedUpByLightOnes) {
  asked weighted("numa:2 core:2 pu:1", ring(6), fill_policy::spread);
  const numbers weights{1, 1, 4, 1, 1, 2};
  weighted.request.weights = weights;
  const load_limits limits = weighted.limits();
  EXPECT_EQ(limits.witness[2], 0U) << "the heaviest comes first";
  EXPECT_EQ(limits.witness[5], 2U) << "then the next on the other node";
  EXPECT_EQ(limits.limit[1], (numbers{5, 5}));
  EXPECT_EQ(limits.limit[2], numbers(4, 4));
}

TEST(Limits, APuThatPinnedThreadsOverfillTakesNoOther) {
  asked pinned("numa:2 core:2 pu:1", ring(5), fill_policy::pack);
  const std::vector<std::optional<pu_id>> pins{pu_id(1), pu_id(1), pu_id(1), {}, {}};
  pinned.request.pinned = pins;
  const load_limits limits = pinned.limits();
  EXPECT_EQ(limits.limit[2], (numbers{1, 3, 1, 1}));
  EXPECT_EQ(limits.witness, (leaves{1, 1, 1, 2, 3}));
}

TEST(Limits, WithAllThreadsPinnedEveryPuHoldsItsOwn) {
  asked pinned("numa:2 core:1 pu:1", ring(3), fill_policy::spread);
  const std::vector<std::optional<pu_id>> pins{pu_id(0), pu_id(1), pu_id(1)};
  pinned.request.pinned = pins;
  EXPECT_EQ(pinned.limits().limit[1], (numbers{1, 2}));
}

TEST(Limits, AreKeptOrNot) {
  asked pinned("numa:2 core:2 pu:1", ring(3), fill_policy::spread);
  const std::vector<std::optional<pu_id>> pins{pu_id(0), {}, {}};
  pinned.request.pinned = pins;
  const load_limits limits = pinned.limits();
  const auto kept = [&](const leaves& places) {
    return keeps_limits(places, pinned.request, pinned.tree, limits);
  };
  EXPECT_TRUE(kept({0, 2, 3}));
  EXPECT_TRUE(kept({0, 1, 2}));
  EXPECT_FALSE(kept({0, 2, 2})) << "two on one PU";
  EXPECT_FALSE(kept({1, 2, 3})) << "a pinned thread elsewhere";
  EXPECT_FALSE(kept({0, 2, 4})) << "no such leaf";
  EXPECT_FALSE(kept({0, 2})) << "a thread without a place";
}

RC_GTEST_PROP(Limits, TheWitnessAlwaysKeepsThem, ()) {
  const fuzzed_case drawn = draw_case(24);
  const mapping_request request = drawn.request();
  const pu_tree tree(drawn.machine, drawn.allowed);
  const load_limits limits = limits_of(request, tree);
  RC_ASSERT(keeps_limits(limits.witness, request, tree, limits));
}

RC_GTEST_PROP(Limits, OfEqualThreadsAreTheShareRoundedUp, ()) {
  const fuzzed_case drawn = draw_case(40, {true, false, false, false});
  const mapping_request request = drawn.request();
  const pu_tree tree(drawn.machine, drawn.allowed);
  const load_limits limits = limits_of(request, tree);
  const std::size_t threads = drawn.sharing.size();
  for (std::size_t level = 0; level < tree.levels(); ++level) {
    for (std::size_t g = 0; g < tree.groups(level).size(); ++g) {
      if (limits.limit[level][g] == none) continue;
      const std::size_t size = tree.groups(level)[g].size();
      const double share = static_cast<double>((threads * size + tree.size() - 1) / tree.size());
      RC_ASSERT(limits.limit[level][g] >= share);
      // Below a part of uneven size a share can be rounded up twice.
      const bool even = !drawn.machine.arities().empty() && drawn.allowed.empty();
      RC_ASSERT(limits.limit[level][g] <= (even || level + 1 == tree.levels() ? share : share + 1));
    }
  }
}

RC_GTEST_PROP(Limits, WithNoMoreThreadsThanPusFreeThreadsAreAlone, ()) {
  fuzzed_case drawn = draw_case(12, {true, true, false, false});
  const pu_tree tree(drawn.machine, drawn.allowed);
  RC_PRE(drawn.sharing.size() <= tree.size());
  const load_limits limits = limits_of(drawn.request(), tree);
  std::vector<double> pinned(tree.size());
  for (const std::optional<pu_id>& pin : drawn.pinned) {
    if (pin) pinned[tree.leaf_of(*pin)] += 1;
  }
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    RC_ASSERT(limits.limit.back()[leaf] <= std::max(1.0, pinned[leaf]));
  }
}

}  // namespace
}  // namespace numatch
