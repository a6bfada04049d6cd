// SPDX-License-Identifier: Apache-2.0
#include "live/view_limits.hpp"

#include <gtest/gtest.h>

#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

constexpr std::uint64_t gibibyte = 1ULL << 30U;

numatch_start asked() {
  numatch_start start{};
  start.views = 256;
  start.threads = 4096;
  start.table_pages = 4096;
  return start;
}

std::string reached_by(const numatch_stats& before, const numatch_stats& now) {
  view_limits limits;
  limits.note(asked(), before, now);
  std::string lines;
  for (const std::string& line : limits.reached()) lines += line + "\n";
  return lines;
}

TEST(TablePages, ASmallProgramOnASmallMachineGets16MiB) {
  EXPECT_EQ(table_pages_for({8, 1 << 20, gibibyte, 65536}), 4096U);
}

TEST(TablePages, EachViewOfALargeProgramHasRoomForAllItsMemory) {
  // 512 pages for 1 GiB, 8 above them, and half as much again.
  EXPECT_EQ(table_pages_for({32, gibibyte, gibibyte, 65536}), 32U * 520 * 3 / 2);
}

TEST(TablePages, AProgramThatJustBeginsGetsAThousandthOfTheMachine) {
  EXPECT_EQ(table_pages_for({8, 0, 100 * gibibyte, 65536}), 100 * gibibyte / 1000 / 4096);
}

TEST(TablePages, TheModulesLimitHolds) {
  EXPECT_EQ(table_pages_for({256, 512 * gibibyte, 1024 * gibibyte, 65536}), 65536U);
  EXPECT_EQ(table_pages_for({8, 0, 0, 100}), 100U);
}

TEST(ViewLimits, ASessionWithinItsLimitsSaysNothing) {
  numatch_stats now{};
  now.threads = 4095;
  now.opened = 1000;
  EXPECT_EQ(reached_by({}, now), "");
}

TEST(ViewLimits, MoreThreadsThanViewsAreSaid) {
  numatch_stats now{};
  now.threads = 256;
  now.without_view = 12;
  EXPECT_EQ(reached_by({}, now), "the module has 256 views: threads beyond ran 12 times unseen\n");
}

TEST(ViewLimits, MoreThreadsThanTheModuleTellsApartAreSaidAlone) {
  numatch_stats now{};
  now.threads = 4096;
  now.without_view = 1;
  EXPECT_EQ(reached_by({}, now),
            "the module tells 4096 threads of a program apart: later ones are not seen\n");
}

TEST(ViewLimits, MemoryThatIsUsedUpIsSaid) {
  numatch_stats now{};
  now.dropped_full = 3;
  EXPECT_TRUE(contains(reached_by({}, now), "16.0 MiB"));
  EXPECT_TRUE(contains(reached_by({}, now), "3 times"));
}

TEST(ViewLimits, SessionsOfOneProgramAddUp) {
  view_limits limits;
  numatch_stats first{};
  first.without_view = 5;
  limits.note(asked(), {}, first);
  limits.note(asked(), first, first);
  numatch_stats second{};
  second.without_view = 2;
  limits.note(asked(), {}, second);
  EXPECT_TRUE(contains(limits.reached().front(), " 7 times"));
}

}  // namespace
}  // namespace numatch::live
