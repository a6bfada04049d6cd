// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/stability.hpp"

#include <gtest/gtest.h>

namespace numatch::bench {
namespace {

TEST(Noise, StaysWithinItsShareAndKeepsZeros) {
  const sharing_matrix before = (*find_family("stencil2d"))->make(64, 1).sharing;
  const sharing_matrix after = with_noise(before, 0.1, 1);
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 64; ++j) {
      EXPECT_GE(after.at(i, j), before.at(i, j) * 0.9);
      EXPECT_LE(after.at(i, j), before.at(i, j) * 1.1);
      EXPECT_EQ(after.at(i, j), after.at(j, i));
    }
  }
  EXPECT_NE(before, after);
}

TEST(Noise, OfNothingChangesNothing) {
  const sharing_matrix before = (*find_family("pairs"))->make(32, 1).sharing;
  EXPECT_EQ(with_noise(before, 0, 1), before);
}

TEST(Stability, OfAnUnchangedMatrixMovesNobodyInAFreshMapping) {
  const std::vector<instance> instances{{*find_family("power-law"), *find_machine("2x8x2"), 32, 1}};
  const result<std::vector<stability_row>> rows =
      measure_stability(instances, 0, {{"scotch", "scotch"}});
  ASSERT_TRUE(rows) << rows.error().message();
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->front().moved, 0);
  EXPECT_EQ(rows->front().above_fresh, 0);
}

TEST(Stability, RefusesAnAlgorithmThatIsNotThere) {
  const std::vector<instance> instances{{*find_family("ring"), *find_machine("2x8x2"), 32, 1}};
  EXPECT_FALSE(measure_stability(instances, 0.1, {{"x", "nobody"}}));
}

}  // namespace
}  // namespace numatch::bench
