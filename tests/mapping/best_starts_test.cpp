// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/best_starts.hpp"

#include <gtest/gtest.h>

namespace numatch::engine {
namespace {

using placement = std::vector<std::uint32_t>;

placement kept(const best_starts& starts, std::size_t place) {
  return {starts.vertex_at(place).begin(), starts.vertex_at(place).end()};
}

TEST(BestStarts, KeepsTheLowestCostsInOrder) {
  best_starts starts(2);
  starts.begin(2);
  starts.add(30, placement{3, 0});
  starts.add(10, placement{1, 0});
  starts.add(40, placement{4, 0});
  starts.add(20, placement{2, 0});
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts.cost(0), 10);
  EXPECT_EQ(kept(starts, 0), (placement{1, 0}));
  EXPECT_EQ(starts.cost(1), 20);
  EXPECT_EQ(kept(starts, 1), (placement{2, 0}));
}

TEST(BestStarts, KeepsTheFirstOfEqualCost) {
  best_starts starts(2);
  starts.begin(3);
  starts.add(10, placement{1, 0});
  starts.add(10, placement{2, 0});
  ASSERT_EQ(starts.size(), 1U);
  EXPECT_EQ(kept(starts, 0), (placement{1, 0}));
}

TEST(BestStarts, CountsThoseThatEndedAtTheLowestCost) {
  best_starts starts(1);
  starts.begin(1);
  starts.add(20, placement{1});
  starts.add(20, placement{1});
  EXPECT_EQ(starts.agreeing(), 2U);
  starts.add(30, placement{1});
  EXPECT_EQ(starts.agreeing(), 2U);
  starts.add(10, placement{1});
  EXPECT_EQ(starts.agreeing(), 1U);
}

TEST(BestStarts, ForgetsWhatWasBefore) {
  best_starts starts(1);
  starts.add(10, placement{1});
  starts.begin(2);
  EXPECT_EQ(starts.size(), 0U);
  EXPECT_EQ(starts.agreeing(), 0U);
  starts.add(20, placement{2});
  EXPECT_EQ(starts.cost(0), 20);
}

}  // namespace
}  // namespace numatch::engine
