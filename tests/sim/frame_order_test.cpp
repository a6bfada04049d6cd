// SPDX-License-Identifier: Apache-2.0
#include "sim/frame_order.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/page_table.hpp"

namespace numatch::sim {
namespace {

TEST(FrameOrder, EveryFrameOfARangeIsDrawnOnce) {
  constexpr std::uint32_t range = std::uint32_t{1} << 22;
  for (const std::uint64_t seed : {1U, 2U, 77U}) {
    std::vector<bool> given(range, false);
    for (std::uint32_t number = 0; number < range; ++number) {
      const std::uint32_t frame = drawn_frame(number, seed);
      ASSERT_LT(frame, range);
      ASSERT_FALSE(given[frame]) << number;
      given[frame] = true;
    }
  }
  EXPECT_GE(drawn_frame(range, 1), range) << "the next range";
  EXPECT_LT(drawn_frame(range, 1), 2 * range);
}

TEST(FrameOrder, NeighboursAreApartAndSeedsDiffer) {
  unsigned near = 0;
  unsigned same = 0;
  for (std::uint32_t number = 0; number < 1000; ++number) {
    const std::uint32_t here = drawn_frame(number, 1);
    const std::uint32_t next = drawn_frame(number + 1, 1);
    near += next - here + 8 <= 16 ? 1 : 0;
    same += drawn_frame(number, 2) == here ? 1 : 0;
  }
  EXPECT_LT(near, 5U);
  EXPECT_LT(same, 5U);
}

TEST(FrameOrder, PagesGetFramesInTheirOrderUnlessDrawn) {
  page_table plain(2);
  EXPECT_EQ(plain.map(7, 0).frame, 0U);
  EXPECT_EQ(plain.map(8, 1).frame, 0U);
  EXPECT_EQ(plain.map(9, 0).frame, 1U);
  page_table drawn(2);
  drawn.draw_frames(5);
  EXPECT_EQ(drawn.map(7, 0).frame, drawn_frame(0, 5));
  EXPECT_EQ(drawn.map(8, 1).frame, drawn_frame(0, 6)) << "every node has an order of its own";
  page_entry& moved = drawn.map(9, 0);
  drawn.move(moved, 1);
  EXPECT_EQ(moved.frame, drawn_frame(1, 6));
}

}  // namespace
}  // namespace numatch::sim
