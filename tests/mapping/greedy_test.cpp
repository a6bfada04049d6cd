// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mapping/pair_rule.hpp"
#include "mapping/patterns.hpp"

// MVAS, section IV: the walk over the sorted pairs.
namespace numatch {
namespace {

std::vector<std::uint32_t> nodes_of(const sharing_matrix& sharing, const topology& where,
                                    const pair_rule& rule = {},
                                    const thread_mapping* current = nullptr) {
  const distance_table distances(where);
  const thread_mapping mapping = map_by_pair_rule(
      {.sharing = sharing, .machine = where, .distances = distances, .current = current}, rule);
  std::vector<std::uint32_t> nodes;
  for (const pu_id pu : mapping.pu_of) nodes.push_back(where.node_of(pu).value);
  return nodes;
}
using nodes = std::vector<std::uint32_t>;

TEST(Greedy, TheFirstPairGoesToTheFirstNodeADisjointOneToTheNext) {
  sharing_matrix sharing(4);
  sharing.set(2, 3, 9);
  sharing.set(0, 1, 5);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:2 pu:1")), (nodes{1, 1, 0, 0}));
}

TEST(Greedy, APairThatMeetsTheOneBeforeItJoinsItsNode) {
  sharing_matrix sharing(6);
  sharing.set(0, 1, 9);
  sharing.set(1, 2, 8);
  sharing.set(4, 5, 7);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:3 pu:1")), (nodes{0, 0, 0, 1, 1, 1}))
      << "thread 3 is in no pair and takes what is left";
}

TEST(Greedy, APairThatMeetsTheOneBeforeItGoesOnWhereTheNodeIsFull) {
  sharing_matrix sharing(4);
  sharing.set(0, 1, 9);
  sharing.set(1, 2, 8);
  sharing.set(0, 3, 1);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:2 pu:1")), (nodes{0, 0, 1, 1}));
}

TEST(Greedy, AfterTheLastNodeComesTheFirst) {
  sharing_matrix sharing(8);
  for (unsigned pair = 0; pair < 4; ++pair) sharing.set(2 * pair, 2 * pair + 1, 9.0 - pair);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:4 pu:1")), (nodes{0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST(Greedy, WithoutWrappingWhatIsLeftAfterTheLastNodeFillsInOrder) {
  sharing_matrix sharing(8);
  for (unsigned pair = 0; pair < 4; ++pair) sharing.set(pair, 7 - pair, 9.0 - pair);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:4 pu:1")), (nodes{0, 1, 0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:4 pu:1"), {.wraps = false}),
            (nodes{0, 1, 0, 0, 1, 1, 1, 0}))
      << "2, 3, 4 and 5 are in no pair that fits";
}

TEST(Greedy, EqualPairsComeInTheOrderOfTheirThreadsOrBackwards) {
  sharing_matrix sharing(4);
  sharing.set(0, 1, 5);
  sharing.set(2, 3, 5);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:2 pu:1")), (nodes{0, 0, 1, 1}));
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:2 pu:1"), {.lower_first = false}),
            (nodes{1, 1, 0, 0}));
}

TEST(Greedy, ThreadsInNoPairStayWhereThereIsRoom) {
  sharing_matrix sharing(4);
  sharing.set(0, 1, 5);
  const topology where = machine("numa:2 core:4 pu:1");
  const thread_mapping current{{pu_id(4), pu_id(5), pu_id(7), pu_id(0)}};
  EXPECT_EQ(nodes_of(sharing, where, {}, &current), (nodes{0, 0, 0, 0}));
  EXPECT_EQ(nodes_of(sharing, where, {.alone_stay = true}, &current), (nodes{0, 0, 1, 0}))
      << "thread 2 stays; thread 3's PU is taken by a pair";
}

TEST(Greedy, PairsUpToAlphaOfTheHeaviestDoNotCount) {
  sharing_matrix sharing(4);
  sharing.set(0, 3, 10);
  sharing.set(1, 2, 5);
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:3 pu:1"), {.alpha = 0.4}), (nodes{0, 1, 1, 0}));
  EXPECT_EQ(nodes_of(sharing, machine("numa:2 core:3 pu:1"), {.alpha = 0.5}), (nodes{0, 0, 1, 0}))
      << "5 is not above half of 10: 1 and 2 fill in order";
}

TEST(Greedy, TheRequestSaysAlpha) {
  sharing_matrix sharing(4);
  sharing.set(0, 3, 10);
  sharing.set(1, 2, 5);
  const topology where = machine("numa:2 core:3 pu:1");
  const distance_table distances(where);
  mapping_request request{.sharing = sharing, .machine = where, .distances = distances};
  const mapping_algorithm& greedy = *find_algorithm("greedy").value();
  const auto together = [&](const mapping_answer& answer) {
    return where.node_of(answer.mapping.pu_of[0]) == where.node_of(answer.mapping.pu_of[1]);
  };
  EXPECT_FALSE(together(map_threads(greedy, request).value()));
  request.alpha = 0.5;
  EXPECT_TRUE(together(map_threads(greedy, request).value()))
      << "1 is in no pair and fills in order";
}

TEST(Greedy, APairThatFitsOnNoNodeIsSplit) {
  sharing_matrix sharing(3);
  sharing.set(1, 2, 5);
  const topology where = machine("numa:3 core:1 pu:1");
  EXPECT_EQ(nodes_of(sharing, where), (nodes{2, 0, 1}));
}

}  // namespace
}  // namespace numatch
