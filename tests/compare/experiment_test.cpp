// SPDX-License-Identifier: Apache-2.0
#include "compare/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "compare/findings.hpp"
#include "support/expect_text.hpp"

namespace numatch::compare {
namespace {

/// The program's "time" is told by the method's plan: method m pins m threads and takes base + m.
class stub_runner : public program_runner {
 public:
  explicit stub_runner(double step, std::size_t fails_at = 0) : step_(step), fails_at_(fails_at) {}
  result<run_figures> run(const run_setup& setup) override {
    const std::size_t pinned = setup.plan.cpu_of_thread.size();
    calls.push_back(pinned);
    if (calls.size() == fails_at_) return fail("app", "ended with exit code 3", "mend it");
    // A spread that is the same in every method: rounds differ, methods within a round do not.
    const double wobble = static_cast<double>(count_of(pinned) % 3) * 0.01;
    run_figures figures;
    figures.set(figure::time, 1 + wobble + step_ * static_cast<double>(pinned));
    figures.set(figure::minor_faults, 100);
    if (pinned == 0) figures.set(figure::energy, 5);
    return figures;
  }
  std::vector<std::size_t> calls;

 private:
  std::ptrdiff_t count_of(std::size_t pinned) const {
    return std::count(calls.begin(), calls.end(), pinned);
  }
  double step_;
  std::size_t fails_at_;
};

std::vector<method> methods_pinning(std::size_t count) {
  std::vector<method> made;
  for (std::size_t m = 0; m < count; ++m) {
    made.push_back({"pins" + std::to_string(m),
                    "",
                    {},
                    [m](const situation&, std::uint64_t) -> result<run_setup> {
                      run_setup setup;
                      setup.plan.cpu_of_thread.resize(m);
                      return setup;
                    }});
  }
  return made;
}

class Experiment : public testing::Test {
 protected:
  result<std::vector<method_runs>> run(std::size_t methods, stub_runner& runner) {
    return run_experiment(methods_pinning(methods), here_, plan_, runner,
                          [this](std::size_t done, std::size_t all, std::string_view) {
                            last_done_ = done;
                            all_ = all;
                          });
  }
  topology machine_ = topology::load("numa:2 core:2 pu:1").value();
  situation here_{machine_, live::cpu_mask::of_cpu(0)};
  experiment_plan plan_{10, 7};
  std::size_t last_done_ = 0;
  std::size_t all_ = 0;
};

TEST(DrawnOrder, EveryRoundHasEveryMethodOnce) {
  const std::vector<std::size_t> order = drawn_order(5, {20, 3});
  ASSERT_EQ(order.size(), 100U);
  for (std::size_t round = 0; round < 20; ++round) {
    std::vector<std::size_t> sorted(order.begin() + static_cast<std::ptrdiff_t>(5 * round),
                                    order.begin() + static_cast<std::ptrdiff_t>(5 * round + 5));
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
  }
}

TEST(DrawnOrder, FollowsTheSeed) {
  EXPECT_EQ(drawn_order(4, {10, 1}), drawn_order(4, {10, 1}));
  EXPECT_NE(drawn_order(4, {10, 1}), drawn_order(4, {10, 2}));
}

TEST(DrawnOrder, DoesNotAlwaysBeginWithTheSameMethod) {
  const std::vector<std::size_t> order = drawn_order(3, {60, 1});
  std::vector<std::size_t> first(3);
  for (std::size_t round = 0; round < 60; ++round) ++first[order[3 * round]];
  for (const std::size_t times : first) EXPECT_GT(times, 5U);
}

TEST_F(Experiment, RunsInTheDrawnOrderAndReportsProgress) {
  stub_runner runner(0);
  const result<std::vector<method_runs>> all = run(3, runner);
  ASSERT_TRUE(all);
  EXPECT_EQ(runner.calls, drawn_order(3, plan_));
  for (const method_runs& method : *all) EXPECT_EQ(method.runs.size(), 10U);
  EXPECT_EQ(all_, 30U);
  EXPECT_EQ(last_done_, 29U);
}

TEST_F(Experiment, AFailureStopsAndSaysInWhichRun) {
  stub_runner runner(0, 4);
  const result<std::vector<method_runs>> all = run(3, runner);
  ASSERT_FALSE(all);
  EXPECT_EQ(runner.calls.size(), 4U);
  EXPECT_TRUE(contains(all.error().message(), "app: run 4 of 30 (pins"));
  EXPECT_TRUE(contains(all.error().message(), "exit code 3; mend it"));
}

TEST_F(Experiment, AClearDifferenceIsFound) {
  stub_runner runner(0.5);
  const result<std::vector<method_runs>> all = run(3, runner);
  ASSERT_TRUE(all);
  const std::vector<figure_findings> found = find(*all);
  ASSERT_EQ(found.front().what, figure::time);
  const std::vector<finding>& time = found.front().methods;
  EXPECT_EQ(time[0].says, verdict::baseline);
  EXPECT_EQ(time[1].says, verdict::more);
  ASSERT_TRUE(time[2].ratio);
  EXPECT_NEAR(time[2].ratio->ratio, 2, 0.05);
  EXPECT_GT(time[2].ratio->low, 1.9);
}

TEST_F(Experiment, WhatDoesNotDifferIsNoDifference) {
  stub_runner runner(0);
  const result<std::vector<method_runs>> all = run(4, runner);
  ASSERT_TRUE(all);
  for (const figure_findings& figure : find(*all)) {
    for (std::size_t m = 1; m < figure.methods.size(); ++m) {
      EXPECT_EQ(figure.methods[m].says, verdict::no_difference);
      EXPECT_DOUBLE_EQ(figure.methods[m].ratio->ratio, 1);
    }
  }
}

TEST_F(Experiment, AFigureThatSomeRunsLackIsLeftOut) {
  stub_runner runner(0);
  const result<std::vector<method_runs>> all = run(2, runner);
  ASSERT_TRUE(all);
  const std::vector<figure_findings> found = find(*all);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].what, figure::time);
  EXPECT_EQ(found[1].what, figure::minor_faults);
}

}  // namespace
}  // namespace numatch::compare
