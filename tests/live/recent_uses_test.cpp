// SPDX-License-Identifier: Apache-2.0
#include "live/recent_uses.hpp"

#include <gtest/gtest.h>

#include <map>

namespace numatch::live {
namespace {

constexpr pid_t one = 10;
constexpr pid_t two = 11;

sensed_use use_of(pid_t task, std::uint64_t page, std::optional<bool> write, double weight = 1) {
  return {task, page * sensed_page_bytes + 5, write, weight, 0};
}

std::map<std::uint64_t, std::uint64_t> pages_of(const recent_uses& uses, pid_t task) {
  std::map<std::uint64_t, std::uint64_t> found;
  uses.pages_of(task, [&](std::uint64_t page, const use_count& count) {
    EXPECT_TRUE(found.emplace(page, count.total()).second) << "page " << page << " twice";
  });
  return found;
}

TEST(RecentUses, AddsThisPeriodToTheLastAndForgetsTheOneBefore) {
  recent_uses uses;
  uses.on_use(use_of(one, 1, true));
  uses.on_use(use_of(one, 2, true));
  uses.turn();
  uses.on_use(use_of(one, 2, true, 3));
  uses.on_use(use_of(one, 3, true));
  EXPECT_EQ(pages_of(uses, one), (std::map<std::uint64_t, std::uint64_t>{{1, 1}, {2, 4}, {3, 1}}));
  uses.turn();
  EXPECT_EQ(pages_of(uses, one), (std::map<std::uint64_t, std::uint64_t>{{2, 3}, {3, 1}}));
  uses.turn();
  EXPECT_TRUE(pages_of(uses, one).empty());
}

TEST(RecentUses, SharingIsTheOraclesOfWhatWasSeen) {
  recent_uses uses;
  for (int i = 0; i < 5; ++i) uses.on_use(use_of(one, 7, false));
  for (int i = 0; i < 3; ++i) uses.on_use(use_of(two, 7, true));
  uses.on_use(use_of(one, 8, false));
  uses.on_use(use_of(two, 8, false));  // nobody writes it
  uses.on_use(use_of(one, 9, std::nullopt));
  uses.on_use(use_of(two, 9, std::nullopt));
  const pid_t tasks[] = {two, 99, one};
  const sharing_matrix sharing = uses.sharing(tasks);
  ASSERT_EQ(sharing.size(), 3U);
  EXPECT_EQ(sharing.at(0, 2), 4);
  EXPECT_EQ(sharing.at(2, 0), 4);
  EXPECT_EQ(sharing.at(0, 1), 0);
}

TEST(RecentUses, AnEndedThreadIsForgottenForItsNumberMayComeAgain) {
  recent_uses uses;
  uses.on_use(use_of(one, 1, true));
  uses.turn();
  uses.on_use(use_of(one, 2, true));
  uses.on_task_end(one, 0);
  EXPECT_TRUE(pages_of(uses, one).empty());
}

}  // namespace
}  // namespace numatch::live
