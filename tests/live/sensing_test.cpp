// SPDX-License-Identifier: Apache-2.0
#include "live/sensing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

namespace numatch::live {
namespace {

constexpr std::uint64_t ms = 1'000'000;

mapped_range range(std::uint64_t first_page, std::uint64_t pages, bool writable = true) {
  mapped_range r;
  r.first = first_page * sensed_page_bytes;
  r.end = r.first + pages * sensed_page_bytes;
  r.readable = true;
  r.writable = writable;
  return r;
}

/// All its threads use all its memory all the time.
struct invented_program : sensed_program {
  std::vector<mapped_range> memory{range(1000, 2000)};
  std::uint64_t time = 0;
  unsigned scans = 0;
  result<std::vector<mapped_range>> mappings() override {
    ++scans;
    return memory;
  }
  std::uint64_t processor_time() override { return time; }
  std::optional<std::uint64_t> resident;
  std::optional<std::uint64_t> resident_pages() override { return resident; }
};

/// Every armed page answers once.
struct invented_sensor : sensor {
  std::vector<mapped_range> watched;
  std::set<std::uint64_t> armed_pages;
  std::vector<sensed_use> others;
  std::uint64_t arms = 0;
  std::uint64_t calls = 0;
  bool whole = false;
  bool can_rest = true;
  bool rests = false;

  result<bool> rest(bool wanted) override {
    rests = can_rest && wanted;
    return can_rest;
  }
  result<void> watch(std::span<const mapped_range> ranges) override {
    watched.assign(ranges.begin(), ranges.end());
    return {};
  }
  std::vector<page_run> present;  ///< empty: it cannot tell
  std::vector<page_run> in_memory(std::span<const page_run> pages) const override {
    return present.empty() ? sensor::in_memory(pages) : present;
  }
  result<armed> arm(std::span<const page_run> pages) override {
    ++calls;
    armed done;
    for (const page_run& run : pages) {
      for (std::uint64_t i = 0; i < run.pages; ++i) armed_pages.insert(run.first.value + i);
      done.pages += run.pages;
    }
    arms += done.pages;
    return done;
  }
  result<void> collect(use_sink& sink) override {
    for (const std::uint64_t page : armed_pages) {
      sink.on_use({static_cast<pid_t>(1 + page % 3), page * sensed_page_bytes, true, 1, 0});
    }
    armed_pages.clear();
    for (const sensed_use& use : others) sink.on_use(use);
    others.clear();
    return {};
  }
  int wake_fd() const override { return -1; }
};

struct tally : use_sink {
  std::uint64_t uses = 0;
  std::uint64_t lost = 0;
  std::vector<pid_t> started;
  std::optional<bool> last_write;
  void on_use(const sensed_use& use) override {
    ++uses;
    last_write = use.write;
  }
  void on_task_start(pid_t task, std::uint64_t) override { started.push_back(task); }
  void on_task_end(pid_t, std::uint64_t) override {}
  void on_lost(std::uint64_t count) override { lost += count; }
};

RC_GTEST_PROP(Sensing, KeepsTheBudgetButForOneCallOfArm, ()) {
  const double budget = static_cast<double>(*rc::gen::inRange(1, 200)) / 1000;
  const auto pages = *rc::gen::inRange<std::uint64_t>(1, 5000);
  const bool whole = *rc::gen::arbitrary<bool>();
  // Processors that it uses, in tenths: an idle program has less time than the wall clock.
  const auto busy = *rc::gen::inRange<std::uint64_t>(1, 40);
  invented_program program;
  program.memory = {range(1000, pages)};
  invented_sensor senses;
  tally client;
  sensing_options options;
  options.budget = budget;
  sensing loop(program, senses, whole ? arming::whole : arming::by_page, true, options, client);
  for (std::uint64_t now = 0; now < 3000 * ms; now += 10 * ms) {
    program.time = now * busy / 10;
    RC_ASSERT(loop.step(now));
    const double time = static_cast<double>(std::min(now, program.time));
    const double all = static_cast<double>(pages);
    const double page_cost = options.costs.per_armed_page + options.costs.per_fault;
    const double call = options.costs.per_arming + (whole ? all : 16) * page_cost;
    RC_ASSERT(loop.totals().cost <= budget * time + call);
  }
  RC_ASSERT(client.uses > 0);
}

TEST(Sensing, ABudgetThatIsTwiceAsLargeArmsMore) {
  const auto arms_with = [](double budget) {
    invented_program program;
    program.memory = {range(1000, 100'000)};
    invented_sensor senses;
    tally client;
    sensing_options options;
    options.budget = budget;
    sensing loop(program, senses, arming::by_page, true, options, client);
    for (std::uint64_t now = 0; now < 1000 * ms; now += 10 * ms) {
      program.time = now;
      EXPECT_TRUE(loop.step(now));
    }
    return senses.arms;
  };
  const std::uint64_t few = arms_with(0.01);
  const std::uint64_t many = arms_with(0.02);
  // 16 pages cost 30.76 microseconds; the saving of a quarter of a second is never needed.
  EXPECT_NEAR(static_cast<double>(few), 0.01 * 0.99e9 / 30760 * 16, 64);
  EXPECT_NEAR(static_cast<double>(many), 0.02 * 0.99e9 / 30760 * 16, 64);
}

/// Ten seconds of a program that uses memory that nobody armed so often in 10 ms.
struct faulting_run {
  invented_program program;
  invented_sensor senses;
  tally client;
  std::uint64_t steps_at_rest = 0;
  sensing_totals totals;

  void run(arming how, std::uint64_t faults, double budget = 0.02) {
    sensing_options options;
    options.budget = budget;
    sensing loop(program, senses, how, true, options, client);
    for (std::uint64_t now = 0; now < 10'000 * ms; now += 10 * ms) {
      program.time = now;
      for (std::uint64_t i = 0; i < faults && !senses.rests; ++i) {
        senses.others.push_back({1, (5000 + i) * sensed_page_bytes, true, 1, 0});
      }
      steps_at_rest += senses.rests ? 1 : 0;
      ASSERT_TRUE(loop.step(now));
      totals = loop.totals();
    }
  }
};

TEST(Sensing, RestsWhenTheProgramsOwnFaultsCostMoreThanTheBudget) {
  faulting_run fault_bound;
  fault_bound.run(arming::by_page, 5000);  // of 800 ns: 40 % of the time
  EXPECT_GT(fault_bound.steps_at_rest, 900U);
  EXPECT_LT(fault_bound.steps_at_rest, 1000U);
  const sensing_totals& totals = fault_bound.totals;
  EXPECT_NEAR(static_cast<double>(totals.rested),
              static_cast<double>(fault_bound.steps_at_rest) * 1e7, 1e7);
  // What a quarter of a second may cost, and one step, can be spent in advance.
  EXPECT_LT(totals.cost, 0.02 * 1e10 + 0.02 * 250e6 + 5000 * 800 + 40'000);
}

TEST(Sensing, WhereTheKernelOrTheProcessorChoosesItRestsToo) {
  for (const arming how : {arming::by_kernel, arming::by_hardware, arming::whole}) {
    faulting_run fault_bound;
    fault_bound.run(how, 5000);
    EXPECT_GT(fault_bound.steps_at_rest, 900U);
  }
}

TEST(Sensing, DoesNotRestForFewFaultsOrWhatItArmedItself) {
  faulting_run usual;
  usual.run(arming::by_page, 100);  // of 800 ns: 0.8 % of the time
  EXPECT_EQ(usual.steps_at_rest, 0U);
  EXPECT_EQ(usual.totals.rested, 0U);
  EXPECT_GT(usual.totals.armed, 0U);
  faulting_run whole;
  whole.program.memory = {range(1000, 20'000)};
  whole.run(arming::whole, 0);
  EXPECT_EQ(whole.steps_at_rest, 0U);
}

TEST(Sensing, AccessesAreCountedByWhereTheirDataCameFrom) {
  invented_program program;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_hardware, false, {}, client);
  senses.others.push_back({1, 1001 * sensed_page_bytes, false, 300, 0, data_source::remote_memory});
  senses.others.push_back({1, 1002 * sensed_page_bytes, false, 200, 0, data_source::core_cache});
  senses.others.push_back({1, 1002 * sensed_page_bytes, true, 7, 0});
  ASSERT_TRUE(loop.step(ms));
  source_counts expected{};
  expected[static_cast<std::size_t>(data_source::remote_memory)] = 300;
  expected[static_cast<std::size_t>(data_source::core_cache)] = 200;
  expected[0] = 7;
  EXPECT_EQ(loop.totals().by_source, expected);
}

TEST(Sensing, ASensorThatCannotRestGoesOn) {
  faulting_run first_uses;
  first_uses.senses.can_rest = false;
  first_uses.run(arming::by_hardware, 5000);
  EXPECT_EQ(first_uses.totals.rested, 0U);
  EXPECT_EQ(first_uses.client.uses + first_uses.totals.unwatched, 5'000'000U);
}

TEST(Sensing, ALongRestIsNotFollowedByABurst) {
  invented_program program;
  program.memory = {range(10, 1, false)};
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_page, true, {}, client);
  for (std::uint64_t second = 0; second < 100; ++second) {
    program.time = second * 1000 * ms;
    EXPECT_TRUE(loop.step(second * 1000 * ms));
  }
  program.memory = {range(1000, 1'000'000)};
  EXPECT_TRUE(loop.step(100'000 * ms));
  EXPECT_GT(loop.totals().cost, 0);
  EXPECT_LE(loop.totals().cost, 0.02 * 250e6 + 31'000);
}

TEST(Sensing, SensorsOfWritesAreNotGivenWhatNobodyMayWrite) {
  invented_program program;
  program.memory = {range(10, 1, false), range(20, 1)};
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_page, true, {}, client);
  EXPECT_TRUE(loop.step(0));
  ASSERT_EQ(senses.watched.size(), 1U);
  EXPECT_EQ(senses.watched[0].first, 20 * sensed_page_bytes);
  EXPECT_EQ(loop.totals().watched_pages, 1U);
}

TEST(Sensing, CodeIsNotWatched) {
  invented_program program;
  program.memory = {range(10, 1, false), range(20, 1, false)};
  program.memory[0].executable = true;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_page, false, {}, client);
  EXPECT_TRUE(loop.step(0));
  ASSERT_EQ(senses.watched.size(), 1U);
  EXPECT_EQ(senses.watched[0].first, 20 * sensed_page_bytes);
}

TEST(Sensing, AUseOfUnknownMemoryMakesItLookAtTheMappings) {
  invented_program program;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_hardware, true, {}, client);
  EXPECT_TRUE(loop.step(0));
  EXPECT_EQ(program.scans, 1U);
  program.memory.push_back(range(50'000, 10));
  senses.others = {{7, 50'005 * sensed_page_bytes, true, 1, 0}};
  EXPECT_TRUE(loop.step(200 * ms));
  EXPECT_EQ(program.scans, 2U);
  EXPECT_EQ(client.uses, 1U);
  EXPECT_EQ(loop.totals().unwatched, 0U);
}

TEST(Sensing, UsesOfWhatIsMappedNowhereAreCountedAndLeftOut) {
  invented_program program;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_hardware, true, {}, client);
  EXPECT_TRUE(loop.step(0));
  for (int i = 0; i < 50; ++i) senses.others.push_back({7, 4096, true, 1, 0});
  EXPECT_TRUE(loop.step(200 * ms));
  EXPECT_EQ(program.scans, 2U) << "once for all of them";
  EXPECT_EQ(client.uses, 0U);
  EXPECT_EQ(loop.totals().unwatched, 50U);
}

TEST(Sensing, WhatASensorOfWritesDoesNotTellIsAWrite) {
  for (const bool writes_only : {true, false}) {
    invented_program program;
    invented_sensor senses;
    tally client;
    sensing loop(program, senses, arming::by_hardware, writes_only, {}, client);
    EXPECT_TRUE(loop.step(0));
    senses.others = {{7, 1000 * sensed_page_bytes, std::nullopt, 1, 0}};
    EXPECT_TRUE(loop.step(200 * ms));
    EXPECT_EQ(client.last_write, writes_only ? std::optional(true) : std::nullopt);
  }
}

TEST(Sensing, UsesOfAnEndedProgramCountInTheMemoryThatItHad) {
  invented_program program;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_hardware, true, {}, client);
  EXPECT_TRUE(loop.step(0));
  program.memory.clear();
  senses.others = {{7, 1000 * sensed_page_bytes, true, 1, 0}};
  EXPECT_TRUE(loop.step(2000 * ms));
  EXPECT_EQ(client.uses, 1U);
}

TEST(Sensing, OfMemoryThatIsOnlyReservedItArmsWhatIsThere) {
  invented_program program;
  program.memory = {range(1000, std::uint64_t{1} << 32)};
  program.resident = 32;
  invented_sensor senses;
  senses.present = {{page_number(70'000'000), 32}};
  tally client;
  sensing loop(program, senses, arming::by_page, true, {}, client);
  const auto run_until = [&](std::uint64_t end) {
    for (; program.time < end; program.time += 10 * ms) {
      EXPECT_TRUE(loop.step(program.time));
      for (const std::uint64_t page : senses.armed_pages) {
        EXPECT_TRUE(page >= 70'000'000 && page < 70'000'048);
      }
    }
  };
  run_until(500 * ms);
  EXPECT_GT(client.uses, 100U);
  EXPECT_EQ(loop.totals().watched_pages, 32U);
  // More of it is used, though the mappings are the same.
  senses.present[0].pages = 48;
  run_until(1500 * ms);
  EXPECT_EQ(loop.totals().watched_pages, 48U);
}

TEST(Sensing, WhereMostMemoryIsThereItIsNotAskedFor) {
  invented_program program;
  program.memory = {range(1000, std::uint64_t{1} << 20)};
  program.resident = std::uint64_t{1} << 19;
  invented_sensor senses;
  senses.present = {{page_number(1000), 1}};
  tally client;
  sensing loop(program, senses, arming::by_page, true, {}, client);
  EXPECT_TRUE(loop.step(0));
  EXPECT_EQ(loop.totals().watched_pages, std::uint64_t{1} << 20);
}

TEST(Sensing, LooksAtTheMappingsFromTimeToTime) {
  invented_program program;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_page, true, {}, client);
  for (std::uint64_t now = 0; now <= 5000 * ms; now += 10 * ms) EXPECT_TRUE(loop.step(now));
  EXPECT_EQ(program.scans, 6U);
}

TEST(Sensing, LooksAtMemoryAgainThatWasMovedWhereTheKernelChooses) {
  for (const arming how : {arming::by_kernel, arming::by_page}) {
    invented_program program;
    invented_sensor senses;
    tally client;
    sensing loop(program, senses, how, false, {}, client);
    program.time = 100 * ms;
    ASSERT_TRUE(loop.step(0));
    senses.watched.clear();
    ASSERT_TRUE(loop.step(20 * ms));
    EXPECT_TRUE(senses.watched.empty());
    loop.look_again();
    ASSERT_TRUE(loop.step(40 * ms));
    EXPECT_EQ(senses.watched.size(), how == arming::by_kernel ? 1U : 0U);
    senses.watched.clear();
    ASSERT_TRUE(loop.step(60 * ms));
    EXPECT_TRUE(senses.watched.empty());
  }
}

TEST(Sensing, PreparesNewMemoryOnceWhereTheKernelChooses) {
  invented_program program;
  invented_sensor senses;
  tally client;
  sensing loop(program, senses, arming::by_kernel, false, {}, client);
  for (std::uint64_t now = 0; now <= 2000 * ms; now += 10 * ms) EXPECT_TRUE(loop.step(now));
  EXPECT_EQ(senses.calls, 1U);
  program.memory.push_back(range(50'000, 10));
  for (std::uint64_t now = 2010 * ms; now <= 4000 * ms; now += 10 * ms) {
    EXPECT_TRUE(loop.step(now));
  }
  EXPECT_EQ(senses.calls, 2U);
}

}  // namespace
}  // namespace numatch::live
