// SPDX-License-Identifier: Apache-2.0
#include "live/page_sampler.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace numatch::live {
namespace {

/// A program without a kernel: some pages, each used by a fixed set of threads equally often.
class invented_program {
 public:
  invented_program(std::uint64_t pages, unsigned threads, std::uint64_t seed) : random_(seed) {
    for (std::uint64_t page = 0; page < pages; ++page) {
      const std::uint64_t users = random_() % (threads + 1);
      std::set<pid_t> of_page;
      while (of_page.size() < users) of_page.insert(100 + static_cast<pid_t>(random_() % threads));
      users_.emplace_back(of_page.begin(), of_page.end());
    }
  }
  std::uint64_t pages() const { return users_.size(); }
  const std::vector<pid_t>& users(std::uint64_t page) const { return users_[page]; }
  void set_users(std::uint64_t page, std::vector<pid_t> users) { users_[page] = std::move(users); }

  /// One round: all that is armed shows one of its users. Returns how many pages were armed.
  std::uint64_t run_round(page_sampler& sampler) {
    sampler.begin_round();
    std::uint64_t armed = 0;
    for (std::vector<page_run> runs = sampler.next(); !runs.empty(); runs = sampler.next()) {
      for (const page_run& run : runs) {
        for (std::uint64_t i = 0; i < run.pages; ++i, ++armed) answer(run.first.value + i, sampler);
      }
    }
    return armed;
  }

 private:
  void answer(std::uint64_t page, page_sampler& sampler) {
    const std::vector<pid_t>& users = users_.at(page);
    if (!users.empty()) sampler.note_use(page_number(page), users[random_() % users.size()]);
  }
  std::mt19937_64 random_;
  std::vector<std::vector<pid_t>> users_;
};

std::vector<page_run> all_of(const invented_program& program) {
  return {{page_number(0), program.pages()}};
}

RC_GTEST_PROP(PageSampler, FindsAllSharersOfAllPagesAfterEnoughArms, ()) {
  const auto pages = *rc::gen::inRange<std::uint64_t>(1, 300);
  const auto threads = *rc::gen::inRange(1U, 9U);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  invented_program program(pages, threads, seed);
  page_sampler sampler({.seed = seed, .active_blocks = 4, .patience = 3, .rest = 10});
  sampler.watch(all_of(program));
  for (int round = 0; round < 20'000; ++round) program.run_round(sampler);
  for (std::uint64_t page = 0; page < pages; ++page) {
    RC_ASSERT(sampler.sharers(page_number(page)) == program.users(page).size());
  }
  RC_ASSERT(sampler.never_sensed() == 0);
}

RC_GTEST_PROP(PageSampler, ArmsOnlyWatchedPagesAndNoneTwiceInARound, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto gaps = *rc::gen::container<std::vector<unsigned>>(4, rc::gen::inRange(1U, 100U));
  const std::vector<page_run> ranges{{page_number(gaps[0]), gaps[1]},
                                     {page_number(gaps[0] + gaps[1] + gaps[2]), gaps[3]}};
  page_sampler sampler({.seed = seed});
  sampler.watch(ranges);
  for (int round = 0; round < 100; ++round) {
    sampler.begin_round();
    std::set<std::uint64_t> in_round;
    for (std::vector<page_run> runs = sampler.next(); !runs.empty(); runs = sampler.next()) {
      for (const page_run& run : runs) {
        for (std::uint64_t page = run.first.value; page < run.first.value + run.pages; ++page) {
          RC_ASSERT(in_round.insert(page).second);
          RC_ASSERT(std::any_of(ranges.begin(), ranges.end(), [&](const page_run& r) {
            return page >= r.first.value && page < r.first.value + r.pages;
          }));
          sampler.note_use(page_number(page), 1);
        }
      }
    }
  }
}

TEST(PageSampler, PagesWhoseSharersStoppedGrowingAreLeftAlone) {
  invented_program program(64, 4, 7);
  page_sampler sampler({.rest = 1000});
  sampler.watch(all_of(program));
  for (int round = 0; round < 200; ++round) program.run_round(sampler);
  for (int round = 0; round < 700; ++round) EXPECT_EQ(program.run_round(sampler), 0U);
}

TEST(PageSampler, LooksAgainAndFindsANewSharerAfterAChange) {
  invented_program program(64, 4, 7);
  for (std::uint64_t page = 0; page < 64; ++page) program.set_users(page, {1});
  page_sampler sampler({.rest = 100});
  sampler.watch(all_of(program));
  for (int round = 0; round < 90; ++round) program.run_round(sampler);
  ASSERT_EQ(sampler.sharers(page_number(5)), 1U);
  program.set_users(5, {1, 2, 3});
  for (int round = 0; round < 2000; ++round) program.run_round(sampler);
  EXPECT_EQ(sampler.sharers(page_number(5)), 3U);
}

TEST(PageSampler, MoreSharersAreGivenMoreArms) {
  const auto arms_of = [](std::size_t sharers) {
    invented_program program(1, 64, 3);
    std::vector<pid_t> users;
    for (std::size_t i = 0; i < sharers; ++i) users.push_back(static_cast<pid_t>(i + 1));
    program.set_users(0, users);
    page_sampler sampler({.rest = 100'000});
    sampler.watch(all_of(program));
    std::uint64_t arms = 0;
    for (int round = 0; round < 5000; ++round) arms += program.run_round(sampler);
    return arms;
  };
  EXPECT_LT(arms_of(1), arms_of(4));
  EXPECT_LT(arms_of(4), arms_of(16));
}

TEST(PageSampler, PagesThatNobodyUsesDoNotHoldUpTheOthers) {
  invented_program program(16 * 200, 2, 1);
  for (std::uint64_t page = 0; page < program.pages(); ++page) program.set_users(page, {});
  page_sampler sampler({.active_blocks = 2, .patience = 5});
  sampler.watch(all_of(program));
  EXPECT_EQ(sampler.never_sensed(), program.pages());
  for (int round = 0; round < 200 * 4; ++round) program.run_round(sampler);
  EXPECT_EQ(sampler.never_sensed(), 0U);
}

TEST(PageSampler, ABlockThatCannotBeArmedGivesWayInTheNextRound) {
  page_sampler sampler({.active_blocks = 1, .patience = 1000});
  sampler.watch(std::vector<page_run>{{page_number(0), 16}, {page_number(1600), 16}});
  sampler.begin_round();
  const std::vector<page_run> first = sampler.next();
  ASSERT_EQ(first.size(), 1U);
  sampler.nothing_armed();
  EXPECT_EQ(sampler.never_sensed(), 32U);
  sampler.begin_round();
  const std::vector<page_run> second = sampler.next();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(second[0].first, first[0].first);
}

TEST(PageSampler, AnAnswerAfterItsTurnBringsTheBlockBack) {
  page_sampler sampler({.active_blocks = 1, .patience = 1, .rest = 100'000});
  sampler.watch(std::vector<page_run>{{page_number(0), 16}, {page_number(1600), 16}});
  std::set<std::uint64_t> armed;
  for (int round = 0; round < 10; ++round) {
    sampler.begin_round();
    for (std::vector<page_run> runs = sampler.next(); !runs.empty(); runs = sampler.next()) {
      armed.insert(runs.front().first.value);
    }
  }
  ASSERT_EQ(armed, (std::set<std::uint64_t>{0, 1600}));
  sampler.note_use(page_number(3), 9);
  sampler.begin_round();
  const std::vector<page_run> again = sampler.next();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].first, page_number(0));
}

TEST(PageSampler, TheSameSeedChoosesTheSamePages) {
  const auto first_pages = [](std::uint64_t seed) {
    page_sampler sampler({.seed = seed});
    sampler.watch(std::vector<page_run>{{page_number(0), 1 << 20}});
    sampler.begin_round();
    std::vector<std::uint64_t> pages;
    for (std::vector<page_run> runs = sampler.next(); !runs.empty(); runs = sampler.next()) {
      pages.push_back(runs.front().first.value);
    }
    return pages;
  };
  EXPECT_EQ(first_pages(5), first_pages(5));
  EXPECT_NE(first_pages(5), first_pages(6));
}

TEST(PageSampler, WithoutMemoryThereIsNothingToArm) {
  page_sampler sampler({});
  sampler.begin_round();
  EXPECT_TRUE(sampler.next().empty());
  sampler.watch({});
  sampler.begin_round();
  EXPECT_TRUE(sampler.next().empty());
}

}  // namespace
}  // namespace numatch::live
