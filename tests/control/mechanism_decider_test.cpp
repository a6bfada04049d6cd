// SPDX-License-Identifier: Apache-2.0
#include "control/mechanism_decider.hpp"

#include <gtest/gtest.h>

#include "control/run_control.hpp"
#include "invented_program.hpp"

namespace numatch::control {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

std::unique_ptr<mechanism> made(const mechanism_entry& entry,
                                const std::map<std::string, std::string>& values = {}) {
  return entry.make(parameter_set::make(entry.parameters, values).value()).value();
}

TEST(ChecksRunsLive, MechanismsOfPageFaultsRunAndOthersSayWhatTheyMiss) {
  for (const std::string_view name : {"spcd", "kmaf", "mvas-single", "next-touch"}) {
    EXPECT_TRUE(check_runs_live(**find_mechanism(name), false)) << name;
  }
  for (const std::string_view name :
       {"lapt", "sammu", "mvas", "carrefour", "autopin", "oracle", "compact", "interleave"}) {
    const result<void> fits = check_runs_live(**find_mechanism(name), false);
    ASSERT_FALSE(fits) << name;
    EXPECT_NE(fits.error().message().find(name), std::string::npos) << fits.error().message();
  }
}

TEST(ChecksRunsLive, MvasRunsWhereThereAreViews) {
  EXPECT_TRUE(check_runs_live(**find_mechanism("mvas"), true));
  EXPECT_FALSE(check_runs_live(**find_mechanism("lapt"), true));
}

TEST(CheckRun, MvasNeedsTheSensorThatHasViews) {
  run_options options;
  options.mechanism = "mvas";
  options.sensor = "soft-dirty";
  const result<void> checked = check_run(options);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message().find("only the sensor module"), std::string::npos);
}

TEST(CheckRun, ParametersAreCheckedBeforeAnythingRuns) {
  run_options options;
  EXPECT_TRUE(check_run(options));
  options.mechanism = "spcd";
  options.parameters["block-size"] = "512";
  EXPECT_TRUE(check_run(options));
  options.parameters["block-size"] = "513";
  EXPECT_FALSE(check_run(options));
}

class MechanismDecider : public ::testing::Test {
 protected:
  void start(std::string_view name, bool dry_run = false,
             const std::map<std::string, std::string>& values = {}) {
    const mechanism_entry& entry = **find_mechanism(name);
    decides_ = std::make_unique<mechanism_decider>(
        program, entry, made(entry, values), 1, dry_run,
        [this](const decision& told) { decisions.push_back(told); },
        [this](const fault_plan& plan) -> result<void> {
          plans.push_back(plan);
          if (no_views) return fail("process 7", "the kernel module refuses it");
          return {};
        });
    const std::vector<std::uint32_t> order{0, 3, 6, 1, 4, 7, 2, 5};
    for (std::uint32_t t = 0; t < program.place.size(); ++t) program.place[t] = pu_id(order[t]);
    for (const page_number page : uses.pages()) program.node_of[page] = node_id(0);
  }
  void run(unsigned seconds) {
    for (unsigned s = 0; s < seconds * 10; ++s) {
      for (unsigned u = 0; u < 400; ++u) {
        live::sensed_use use = uses.next();
        use.time = now;
        use.write = true;
        decides_->on_use(use);
      }
      now += second / 10;
      ASSERT_TRUE(decides_->step(now));
    }
  }

  invented_program program{8};
  invented_uses uses;
  std::vector<decision> decisions;
  std::vector<fault_plan> plans;
  bool no_views = false;
  std::uint64_t now = second;
  std::unique_ptr<mechanism_decider> decides_;
};

TEST_F(MechanismDecider, SpcdPutsPairsTogetherAndLeavesPagesAlone) {
  uses.who = invented_uses::pattern::pairs;
  start("spcd");
  run(5);
  for (std::uint32_t t = 0; t < 8; t += 2) {
    EXPECT_EQ(program.node_of_thread(t), program.node_of_thread(t + 1)) << t;
  }
  EXPECT_EQ(program.asked, 0U);
  EXPECT_GE(decides_->totals().threads_moved, 1U);
}

TEST_F(MechanismDecider, SpcdAsksOnceForATenthOfTheFaults) {
  start("spcd");
  run(2);
  ASSERT_EQ(plans.size(), 1U);
  EXPECT_EQ(plans[0].what, fault_plan::kind::share);
  EXPECT_DOUBLE_EQ(plans[0].share, 0.1);
}

TEST_F(MechanismDecider, MvasTracesInPeriodsAndPutsPairsTogether) {
  uses.who = invented_uses::pattern::pairs;
  start("mvas", false, {{"activation-period", "1000"}, {"trace-period", "400"}});
  run(4);
  ASSERT_GE(plans.size(), 4U);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_EQ(plans[i].what, i % 2 == 0 ? fault_plan::kind::thread_views : fault_plan::kind::none);
  }
  for (std::uint32_t t = 0; t < 8; t += 2) {
    EXPECT_EQ(program.node_of_thread(t), program.node_of_thread(t + 1)) << t;
  }
  EXPECT_GE(decides_->totals().pages_moved, 1U);
}

TEST_F(MechanismDecider, AProgramThatTheViewsRefuseEndsTheManaging) {
  no_views = true;
  start("spcd");
  decides_->on_task_start(invented_program::task(0), now);
  const result<void> done = decides_->step(now);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().where, "process 7");
}

TEST_F(MechanismDecider, KmafMovesPagesToTheirUsers) {
  uses.who = invented_uses::pattern::pairs;
  start("kmaf");
  run(10);
  std::size_t local = 0;
  for (std::uint64_t p = 0; p < uses.private_pages; ++p) {
    local += program.node_of[uses.private_page(5, p)] == program.node_of_thread(5) ? 1 : 0;
  }
  EXPECT_EQ(local, uses.private_pages);
  EXPECT_GE(decides_->totals().pages_moved, 1U);
}

TEST_F(MechanismDecider, ADryRunMovesNothing) {
  uses.who = invented_uses::pattern::pairs;
  start("kmaf", true);
  run(5);
  EXPECT_EQ(program.binds, 0U);
  EXPECT_EQ(program.asked, 0U);
  ASSERT_FALSE(decisions.empty());
  for (const decision& told : decisions) EXPECT_EQ(told.what, deed::would_move);
}

TEST_F(MechanismDecider, ABirthAsksForThatThreadAlone) {
  start("spcd");
  decides_->on_task_start(invented_program::task(0), now);
  const std::size_t looks = program.looks_at_all;
  for (std::uint32_t t = 1000; t < 2000; ++t) {
    decides_->on_task_start(invented_program::task(t), now);
    decides_->on_task_end(invented_program::task(t), now);
  }
  EXPECT_EQ(program.looks_at_all, looks);
}

TEST_F(MechanismDecider, ThreadsThatEndAreNotMovedAnyMore) {
  uses.who = invented_uses::pattern::pairs;
  start("spcd");
  decides_->on_task_start(invented_program::task(0), now);
  decides_->on_task_end(invented_program::task(0), now);
  decides_->on_task_end(invented_program::task(0), now);
  run(2);
  EXPECT_GE(decides_->totals().threads_moved, 1U);
}

}  // namespace
}  // namespace numatch::control
