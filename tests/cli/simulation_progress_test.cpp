// SPDX-License-Identifier: Apache-2.0
#include "cli/simulation_progress.hpp"

#include <gtest/gtest.h>

namespace numatch::cli {
namespace {

TEST(SimulationProgress, SaysHowFarHowFastAndHowLong) {
  EXPECT_EQ(progress_line(6'000'000, 24'000'000, 2, 3),
            "simulate: 25 % of 24.0 M accesses in 2 runs, 2.0 M per second, 9 s left");
}

TEST(SimulationProgress, KnowsNoSpeedBeforeTheFirstAccess) {
  EXPECT_EQ(progress_line(0, 1'000'000, 1, 2), "simulate: 0 % of 1.0 M accesses in 1 run");
}

TEST(SimulationProgress, WritesLongTimesInMinutesAndHours) {
  EXPECT_NE(progress_line(10, 1000, 2, 1).find(", 1 min 39 s left"), std::string::npos);
  EXPECT_NE(progress_line(10, 100'000, 2, 1).find(", 2 h 46 min left"), std::string::npos);
}

TEST(SimulationProgress, NeverPassesTheEnd) {
  const std::string line = progress_line(30, 20, 2, 1);
  EXPECT_NE(line.find("100 %"), std::string::npos);
  EXPECT_NE(line.find("0 s left"), std::string::npos);
}

}  // namespace
}  // namespace numatch::cli
