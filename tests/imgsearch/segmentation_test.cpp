// SPDX-License-Identifier: Apache-2.0
#include "segmentation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "signature.hpp"

namespace imgsearch {
namespace {

constexpr colour red{200, 0, 0};
constexpr colour blue{0, 0, 200};

picture filled(std::size_t width, std::size_t height, const colour& with) {
  return {width, height, std::vector<colour>(width * height, with)};
}

/// A blue box on red: columns 10...29, rows 20...29 of 60 x 40.
picture box() {
  picture made = filled(60, 40, red);
  for (std::size_t y = 20; y < 30; ++y) {
    for (std::size_t x = 10; x < 30; ++x) made.at(x, y) = blue;
  }
  return made;
}

TEST(Segmentation, OneColourIsOneSegment) {
  EXPECT_EQ(segment(filled(20, 10, red)).count, 1u);
}

TEST(Segmentation, FindsABoxOnItsGround) {
  const segments found = segment(box());
  const std::uint32_t inside = found.of_pixel[25 * 60 + 20];
  EXPECT_NE(inside, found.of_pixel[0]);
  // The mean over 3 x 3 pixels makes the border soft.
  const auto pixels = std::count(found.of_pixel.begin(), found.of_pixel.end(), inside);
  EXPECT_GE(pixels, 140);
  EXPECT_LE(pixels, 260);
}

TEST(Segmentation, NumbersSegmentsWithoutHoles) {
  const segments found = segment(box());
  const std::set<std::uint32_t> used(found.of_pixel.begin(), found.of_pixel.end());
  EXPECT_EQ(used.size(), found.count);
  EXPECT_EQ(*used.rbegin() + 1, found.count);
}

TEST(Segmentation, LeavesNoSegmentBelowTheLeastShare) {
  picture speckled = filled(50, 50, red);
  for (std::size_t i = 0; i < 50; i += 5) speckled.at(i, (7 * i) % 50) = blue;
  segmentation_options options;
  options.scale = 1;
  options.least_share = 0.05;
  const segments found = segment(speckled, options);
  for (std::uint32_t s = 0; s < found.count; ++s) {
    EXPECT_GE(std::count(found.of_pixel.begin(), found.of_pixel.end(), s), 125);
  }
}

TEST(Signature, SaysColourSizeAndPlaceOfASegment) {
  segments by_hand;
  by_hand.count = 2;
  const picture shown = box();
  for (const colour& pixel : shown.pixels) by_hand.of_pixel.push_back(pixel == blue ? 1 : 0);
  const signature found = describe(shown, by_hand);
  ASSERT_EQ(found.segments.size(), 2u);
  const std::span<const float> inside = found.segments[1];
  EXPECT_FLOAT_EQ(inside[0], 0);
  EXPECT_FLOAT_EQ(inside[2], 200);
  EXPECT_FLOAT_EQ(inside[5], 0);                            // all pixels have the mean
  EXPECT_FLOAT_EQ(inside[9], 32);                           // twice as wide as high
  EXPECT_FLOAT_EQ(inside[10], 128 * std::sqrt(1.0F / 12));  // 200 of 2,400 pixels
  EXPECT_FLOAT_EQ(inside[11], 64);                          // the box is full
  EXPECT_FLOAT_EQ(inside[12], 128 * 19.5F / 60);
  EXPECT_FLOAT_EQ(inside[13], 128 * 24.5F / 40);
  EXPECT_NEAR(found.weights[0] / found.weights[1], std::sqrt(11.0), 1e-5);
  EXPECT_NEAR(found.weights[0] + found.weights[1], 1, 1e-6);
}

TEST(Signature, KeepsTheLargestSegments) {
  segments by_hand;
  by_hand.count = 3;
  by_hand.of_pixel = {0, 1, 1, 2, 2, 2};
  const signature found = describe(filled(3, 2, red), by_hand, 2);
  ASSERT_EQ(found.weights.size(), 2u);
  EXPECT_NEAR(found.weights[0] / found.weights[1], std::sqrt(1.5), 1e-5);
}

}  // namespace
}  // namespace imgsearch
