// SPDX-License-Identifier: Apache-2.0
#include "control/seen_uses.hpp"

#include <gtest/gtest.h>

namespace numatch::control {
namespace {

constexpr std::uint64_t huge = 2 << 20;
bool nothing(page_number) {
  return false;
}

TEST(SeenUses, UsesGoIntoTheHalvesInTurn) {
  seen_uses seen;
  for (int use = 0; use < 3; ++use) seen.add(page_number(7), 2, 1);
  seen.end_stretch();
  for (int use = 0; use < 2; ++use) seen.add(page_number(7), 2, 1);
  seen.add(page_number(8), 0, 1);
  seen.end_stretch();
  seen.add(page_number(9), 0, 1);  // not known before its stretch is over
  const std::vector<memory_unit> units = seen.units(huge, nothing);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].page, page_number(7));
  ASSERT_EQ(units[0].users.size(), 1U);
  EXPECT_EQ(units[0].users[0].thread, 2U);
  EXPECT_EQ(units[0].users[0].half, (std::array<double, 2>{3, 2}));
  EXPECT_EQ(seen.threads(), 3U);
}

TEST(SeenUses, KnowsWhoWasSeenInEachStretch) {
  seen_uses seen;
  seen.add(page_number(1), 4, 1);
  seen.add(page_number(2), 4, 2);
  seen.add(page_number(2), 0, 1);
  seen.end_stretch();
  for (int use = 0; use < 8; ++use) seen.add(page_number(2), 3, 1);
  seen.end_stretch();
  ASSERT_EQ(seen.stretches().size(), 2U);
  const stretch_of_time& first = seen.stretches()[0];
  EXPECT_EQ(first.number, 0U);
  ASSERT_EQ(first.threads.size(), 2U);
  EXPECT_EQ(first.threads[0].thread, 0U);
  EXPECT_DOUBLE_EQ(first.threads[0].uses, 1);
  EXPECT_EQ(first.threads[1].thread, 4U);
  EXPECT_DOUBLE_EQ(first.threads[1].uses, 3);
  const std::vector<memory_unit> units = seen.units(huge, nothing);
  ASSERT_EQ(units[1].when.size(), 2U);
  EXPECT_DOUBLE_EQ(units[1].when[0].uses, 3);
  EXPECT_EQ(units[1].when[1].stretch, 1U);
  EXPECT_DOUBLE_EQ(units[1].when[1].uses, 4);  // as many as a page remembers of one
}

TEST(SeenUses, ForgetsStretchesOfLongAgo) {
  seen_uses seen;
  for (int stretch = 0; stretch < 1000; ++stretch) seen.end_stretch();
  EXPECT_LE(seen.stretches().size(), 128U);
  EXPECT_EQ(seen.stretches().back().number, 999U);
}

TEST(SeenUses, NoStretchOfTimeOutweighsTheOthers) {
  seen_uses seen;
  for (int use = 0; use < 1000; ++use) seen.add(page_number(1), 0, 1);
  seen.end_stretch();
  for (int use = 0; use < 4; ++use) seen.add(page_number(1), 1, 1);
  seen.end_stretch();
  const std::vector<memory_unit> units = seen.units(huge, nothing);
  ASSERT_EQ(units[0].users.size(), 2U);
  EXPECT_DOUBLE_EQ(units[0].users[0].all(), 4);
  EXPECT_DOUBLE_EQ(units[0].users[1].all(), 4);
}

TEST(SeenUses, APageRemembersItsLatestUsesMore) {
  seen_uses seen;
  for (const std::uint32_t thread : {0U, 1U}) {
    for (int stretch = 0; stretch < (thread == 0 ? 100 : 4); ++stretch) {
      for (int use = 0; use < 4; ++use) seen.add(page_number(1), thread, 1);
      seen.end_stretch();
    }
  }
  const std::vector<memory_unit> units = seen.units(huge, nothing);
  ASSERT_EQ(units[0].users.size(), 2U);
  EXPECT_LT(units[0].users[0].all(), units[0].users[1].all());
  EXPECT_LE(units[0].users[0].all() + units[0].users[1].all(), 20);
}

TEST(SeenUses, WhatIsNotUsedFades) {
  seen_uses seen;
  seen.add(page_number(1), 0, 1);
  seen.end_stretch();
  for (int time = 0; time < 10; ++time) seen.age(0.5);
  EXPECT_TRUE(seen.units(huge, nothing).empty());
}

TEST(SeenUses, PagesOfAHugePageAreOneUnit) {
  seen_uses seen;
  seen.add(page_number(512), 0, 1);
  seen.add(page_number(1023), 1, 1);
  seen.add(page_number(1023), 1, 1);
  seen.add(page_number(1024), 1, 1);
  seen.end_stretch();
  const std::vector<memory_unit> units =
      seen.units(huge, [](page_number page) { return page.value < 1024; });
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].page, page_number(512));
  EXPECT_EQ(units[0].bytes, huge);
  ASSERT_EQ(units[0].users.size(), 2U);
  EXPECT_EQ(units[0].users[1].all(), 2);
  EXPECT_EQ(units[1].bytes, 4096U);
}

TEST(SeenUses, CountsTheMemoryOfEachThread) {
  seen_uses seen;
  seen.add(page_number(1), 0, 1);
  seen.add(page_number(2), 0, 1);
  seen.add(page_number(2), 1, 1);
  seen.end_stretch();
  EXPECT_EQ(seen.bytes_used(), (std::vector<std::uint64_t>{8192, 4096}));
}

TEST(SharingOf, CountsWhatTwoThreadsUsedAlikeInOneHalf) {
  seen_uses seen;
  for (int use = 0; use < 3; ++use) seen.add(page_number(1), 0, 1);
  seen.end_stretch();
  for (int use = 0; use < 4; ++use) seen.add(page_number(1), 1, 1);
  seen.end_stretch();
  const std::vector<memory_unit> apart = seen.units(huge, nothing);
  const std::vector<std::uint32_t> all{0, 1, 2};
  EXPECT_EQ(sharing_of(apart, all, 0).total(), 0);
  for (int use = 0; use < 4; ++use) seen.add(page_number(1), 1, 1);
  seen.end_stretch();
  const sharing_matrix sharing = sharing_of(seen.units(huge, nothing), all, 0);
  EXPECT_EQ(sharing.size(), 3U);
  EXPECT_EQ(sharing.at(0, 1), 3);
  EXPECT_EQ(sharing.at(1, 0), 3);
  EXPECT_EQ(sharing.at(0, 2), 0);
}

TEST(SharingOf, HasTheAskedThreadsInTheirOrderAndNoOthers) {
  seen_uses seen;
  for (const std::uint32_t thread : {0U, 7U, 100'000U}) seen.add(page_number(1), thread, 2);
  seen.end_stretch();
  const std::vector<std::uint32_t> some{100'000, 3, 0};
  const sharing_matrix sharing = sharing_of(seen.units(huge, nothing), some, 0);
  EXPECT_EQ(sharing.size(), 3U);
  EXPECT_GT(sharing.at(0, 2), 0);
  EXPECT_EQ(sharing.total(), sharing.at(0, 2) + sharing.at(2, 0));
}

}  // namespace
}  // namespace numatch::control
