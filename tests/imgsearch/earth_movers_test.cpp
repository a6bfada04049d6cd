// SPDX-License-Identifier: Apache-2.0
#include "earth_movers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "draws.hpp"

namespace imgsearch {
namespace {

constexpr double rounding = 1e-3;

TEST(EarthMovers, OneHeapGoesTheWholeWay) {
  EXPECT_NEAR(earth_movers_distance({1}, {1}, {12.5F}), 12.5, rounding);
}

TEST(EarthMovers, WhatIsThereAlreadyStays) {
  EXPECT_NEAR(earth_movers_distance({0.25F, 0.75F}, {0.25F, 0.75F}, {0, 7, 7, 0}), 0, rounding);
}

TEST(EarthMovers, TakesTheCheaperWayAsFarAsItGoes) {
  // Half goes to the near heap, which is then full; a quarter goes far; a quarter stays.
  EXPECT_NEAR(earth_movers_distance({0.75F, 0.25F}, {0.5F, 0.5F}, {2, 10, 10, 4}),
              0.5 * 2 + 0.25 * 10 + 0.25 * 4, rounding);
}

TEST(EarthMovers, OnALineItIsTheAreaBetweenTheDistributions) {
  vsearch::draws draw(5);
  for (int round = 0; round < 50; ++round) {
    const std::size_t places = 2 + draw.below(8);
    std::vector<float> a(places);
    std::vector<float> b(places);
    for (std::vector<float>* heap : {&a, &b}) {
      float sum = 0;
      for (float& weight : *heap) sum += weight = static_cast<float>(draw.uniform());
      for (float& weight : *heap) weight /= sum;
    }
    std::vector<float> ways;
    for (std::size_t i = 0; i < places; ++i) {
      for (std::size_t j = 0; j < places; ++j) {
        ways.push_back(std::abs(static_cast<float>(i) - static_cast<float>(j)));
      }
    }
    double area = 0;
    double ahead = 0;
    for (std::size_t i = 0; i < places; ++i) {
      ahead += static_cast<double>(a[i]) - static_cast<double>(b[i]);
      area += std::abs(ahead);
    }
    EXPECT_NEAR(earth_movers_distance(a, b, ways), area, rounding);
  }
}

}  // namespace
}  // namespace imgsearch
