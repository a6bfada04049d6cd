// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapper.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "mapping/patterns.hpp"
#include "support/expect_text.hpp"

namespace numatch {
namespace {

std::vector<std::uint32_t> places(const thread_mapping& mapping) {
  std::vector<std::uint32_t> pus;
  for (const pu_id pu : mapping.pu_of) pus.push_back(pu.value);
  return pus;
}
using pus = std::vector<std::uint32_t>;

TEST(Distances, FollowTheTree) {
  const distance_table distances(machine("numa:2 core:2 pu:2"));
  EXPECT_EQ(distances.size(), 8U);
  EXPECT_EQ(distances.at(pu_id(0), pu_id(0)), 0);
  EXPECT_EQ(distances.at(pu_id(0), pu_id(1)), 2);
  EXPECT_EQ(distances.at(pu_id(3), pu_id(1)), 4);
  EXPECT_EQ(distances.at(pu_id(3), pu_id(4)), 6);
}

TEST(Distances, OfTheUserAreChecked) {
  EXPECT_TRUE(distance_table::from_cells(2, {0, 3, 3, 0}));
  EXPECT_FALSE(distance_table::from_cells(2, {0, 1, 3}));
  EXPECT_FALSE(distance_table::from_cells(2, {0, -1, 3, 0}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const result<distance_table> wrong = distance_table::from_cells(2, {0, 1, nan, 0});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(contains(wrong.error().message(), "from PU 1 to PU 0"));
}

TEST(Distances, MustBeTheSameInBothDirections) {
  const result<distance_table> wrong = distance_table::from_cells(3, {0, 1, 2, 1, 0, 3, 2, 4.5, 0});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(contains(wrong.error().message(), "from PU 1 to PU 2 it is 3, back it is 4.5"));
}

TEST(Cost, IsTheSumOverPairsOfBothDirections) {
  sharing_matrix sharing(3);
  sharing.set(0, 1, 10);
  sharing.set(1, 0, 1);
  sharing.set(1, 2, 100);
  const topology where = machine("numa:2 core:2 pu:1");
  const thread_mapping mapping{{pu_id(0), pu_id(1), pu_id(3)}};
  EXPECT_EQ(mapping_cost(sharing, mapping, distance_table(where)), 11 * 2 + 100 * 4);
  EXPECT_DOUBLE_EQ(share_in_node(sharing, mapping, where), 11.0 / 111);
}

TEST(Cost, OfNothingSharedIsZeroAndAllIsLocal) {
  const sharing_matrix sharing(2);
  const topology where = machine("numa:2 core:2 pu:1");
  const thread_mapping mapping{{pu_id(0), pu_id(3)}};
  EXPECT_EQ(mapping_cost(sharing, mapping, distance_table(where)), 0);
  EXPECT_EQ(share_in_node(sharing, mapping, where), 1);
}

TEST(Compact, FillsThePusInOrder) {
  EXPECT_EQ(places(map("compact", ring(3), machine("numa:4 core:2 pu:1")).mapping), (pus{0, 1, 2}));
  EXPECT_EQ(places(map("compact", ring(6), machine("numa:2 core:2 pu:1")).mapping),
            (pus{0, 0, 1, 2, 2, 3}));
}

TEST(Scatter, ChangesTheNodeWithEveryThread) {
  EXPECT_EQ(places(map("scatter", ring(6), machine("numa:2 core:2 pu:2")).mapping),
            (pus{0, 4, 2, 6, 1, 5}));
}

TEST(Random, HasASeed) {
  const topology where = machine("numa:4 core:8 pu:1");
  const pus first = places(map("random", ring(32), where, 7).mapping);
  EXPECT_EQ(first, places(map("random", ring(32), where, 7).mapping));
  EXPECT_NE(first, places(map("random", ring(32), where, 8).mapping));
}

TEST(Algorithms, AnUnknownNameSuggestsTheNearest) {
  const result<const mapping_algorithm*> found = find_algorithm("scoch");
  ASSERT_FALSE(found);
  EXPECT_TRUE(contains(found.error().message(), "did you mean 'scotch'?"));
}

TEST(Algorithms, ThatBreakTheLimitsAreRefused) {
  const mapping_algorithm careless{"careless", "", [](const mapping_request& r) {
                                     thread_mapping all;
                                     all.pu_of.assign(r.sharing.size(), pu_id(0));
                                     return result<thread_mapping>(all);
                                   }};
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table distances(where);
  const result<mapping_answer> answer = map_threads(careless, {ring(4), where, distances, 1});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(contains(answer.error().message(), "put too much on a part of the machine"));
}

}  // namespace
}  // namespace numatch
