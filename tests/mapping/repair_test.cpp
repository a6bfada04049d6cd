// SPDX-License-Identifier: Apache-2.0
#include "mapping/repair.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/fuzzed_request.hpp"
#include "mapping/patterns.hpp"

namespace numatch {
namespace {

using leaves = std::vector<std::uint32_t>;

leaves repaired(leaves leaf_of, const mapping_request& request) {
  const pu_tree tree(request.machine, request.allowed);
  repair(leaf_of, request, tree, limits_of(request, tree), sharing_graph(request.sharing));
  return leaf_of;
}

TEST(Repair, MakesTheCheapestMove) {
  // All on PU 0; thread 2 shares nothing, so it is the one that may go far.
  sharing_matrix sharing(3);
  sharing.set(0, 1, 9);
  const topology where = machine("numa:3 core:1 pu:1");
  const distance_table distances(where);
  EXPECT_EQ(repaired({0, 0, 0}, {sharing, where, distances}), (leaves{2, 0, 1}))
      << "thread 2 goes first, at no cost, to the lowest free PU";
}

TEST(Repair, LeavesAMappingThatIsFineAlone) {
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table distances(where);
  const sharing_matrix sharing = ring(4);
  EXPECT_EQ(repaired({2, 0, 3, 1}, {sharing, where, distances}), (leaves{2, 0, 3, 1}));
}

TEST(Repair, PutsPinnedThreadsWhereTheyBelong) {
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table distances(where);
  const sharing_matrix sharing = ring(4);
  const std::vector<std::optional<pu_id>> pins{{}, {}, {}, pu_id(0)};
  mapping_request request{sharing, where, distances};
  request.pinned = pins;
  const leaves fixed = repaired({0, 1, 2, 3}, request);
  EXPECT_EQ(fixed[3], 0U);
  EXPECT_EQ(fixed, (leaves{3, 1, 2, 0})) << "the one that was there takes the free PU";
}

TEST(Repair, EmptiesANodeThatHoldsMoreThanItsShare) {
  const topology where = machine("numa:2 core:4 pu:1");
  const distance_table distances(where);
  const sharing_matrix sharing = clusters(4, 2);
  mapping_request request{sharing, where, distances};
  request.policy = fill_policy::spread;
  const leaves fixed = repaired({0, 1, 2, 3}, request);
  EXPECT_EQ(std::count_if(fixed.begin(), fixed.end(), [](std::uint32_t l) { return l < 4; }), 2);
  EXPECT_EQ(fixed[0] < 4, fixed[2] < 4) << "threads that share go together";
}

RC_GTEST_PROP(Repair, MakesAnyMappingKeepItsLimits, ()) {
  const fuzzed_case drawn = draw_case(24);
  const pu_tree tree(drawn.machine, drawn.allowed);
  leaves any;
  for (std::size_t t = 0; t < drawn.sharing.size(); ++t) {
    any.push_back(*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(tree.size())));
  }
  const leaves fixed = repaired(any, drawn.request());
  const load_limits limits = limits_of(drawn.request(), tree);
  RC_ASSERT(keeps_limits(fixed, drawn.request(), tree, limits));
  if (keeps_limits(any, drawn.request(), tree, limits)) RC_ASSERT(fixed == any);
}

}  // namespace
}  // namespace numatch
