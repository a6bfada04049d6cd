// SPDX-License-Identifier: Apache-2.0
#include "live/pinned_run.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/atomic_file.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

pin_plan free_plan() {
  pin_plan plan;
  plan.allowed = cpu_mask::of_task(0).value();
  return plan;
}

TEST(PinnedRun, GivesTheProgramThePagePolicyBeforeItStarts) {
  if (!std::filesystem::exists("/proc/self/numa_maps")) {
    GTEST_SKIP() << "this kernel has no NUMA";
  }
  const std::string seen = testing::TempDir() + "numatch_numa_maps";
  pin_plan plan = free_plan();
  plan.interleave_nodes = {0};
  const result<pinned_outcome> ended =
      run_pinned({"sh", "-c", "cat /proc/self/numa_maps > " + seen}, plan);
  ASSERT_TRUE(ended) << ended.error().message();
  EXPECT_EQ(ended->exit_code, 0);
  EXPECT_TRUE(contains(read_file(seen).value(), "interleave:0"));
}

TEST(PinnedRun, CountsTheThreadsOfTheLastProgramOnly) {
  const result<pinned_outcome> ended =
      run_pinned({"sh", "-c", "true & wait; exec sh -c 'exit 9'"}, free_plan());
  ASSERT_TRUE(ended) << ended.error().message();
  EXPECT_EQ(ended->exit_code, 9);
  EXPECT_EQ(ended->threads, 1U);
  EXPECT_EQ(ended->refused, 0U);
}

TEST(PinnedRun, AStoppedProgramGoesOnWhenItIsTold) {
  const result<pinned_outcome> ended = run_pinned(
      {"bash", "-c", "p=$$; (sleep 0.1; kill -STOP $p; sleep 0.1; kill -CONT $p) & wait; exit 6"},
      free_plan());
  ASSERT_TRUE(ended) << ended.error().message();
  EXPECT_EQ(ended->exit_code, 6);
}

TEST(PinnedRun, WhatCannotBeStartedIsAnError) {
  const result<pinned_outcome> ended = run_pinned({"/nowhere/program"}, free_plan());
  ASSERT_FALSE(ended);
  EXPECT_TRUE(contains(ended.error().message(), "No such file"));
  EXPECT_FALSE(run_pinned({"/"}, free_plan()));
}

}  // namespace
}  // namespace numatch::live
