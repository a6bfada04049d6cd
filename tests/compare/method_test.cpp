// SPDX-License-Identifier: Apache-2.0
#include "compare/method.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/atomic_file.hpp"
#include "support/expect_text.hpp"

namespace numatch::compare {
namespace {

live::cpu_mask this_process() {
  return live::cpu_mask::of_task(0).value();
}

method named(const std::string& name) {
  for (const method& m : usual_methods()) {
    if (m.name == name) return m;
  }
  ADD_FAILURE() << "no method " << name;
  return {};
}

/// Four nodes; PUs 0..4 are CPUs 2, 3, 5, 6, 7 on the system's nodes 1, 1, 2, 3, 3.
topology restricted() {
  return topology::load(NUMATCH_SOURCE_DIR "/tests/topology/data/restricted_cpuset.xml").value();
}

topology one_node() {
  return topology::load("numa:1 core:2 pu:1").value();
}

TEST(UsualMethods, TheDefaultComesFirstAndTouchesNothing) {
  const topology machine = restricted();
  const situation here{machine, live::cpu_mask::of_cpu(6)};
  const method first = usual_methods().front();
  EXPECT_EQ(first.name, "default");
  EXPECT_EQ(first.why_not(here), "");
  const result<run_setup> setup = first.prepare(here, 1);
  ASSERT_TRUE(setup);
  EXPECT_TRUE(setup->plan.cpu_of_thread.empty());
  EXPECT_TRUE(setup->plan.interleave_nodes.empty());
  EXPECT_EQ(setup->balancing, std::nullopt);
}

TEST(UsualMethods, InterleaveUsesEveryNodeAndPinsNothing) {
  const topology machine = restricted();
  const situation here{machine, live::cpu_mask::of_cpu(6)};
  const result<run_setup> setup = named("interleave").prepare(here, 1);
  ASSERT_TRUE(setup);
  EXPECT_EQ(setup->plan.interleave_nodes.size(), machine.node_count());
  EXPECT_TRUE(setup->plan.cpu_of_thread.empty());
}

TEST(UsualMethods, OnOneNodeWhatNeedsNodesIsLeftOutWithTheReason) {
  const topology machine = one_node();
  situation here{machine, this_process()};
  here.balancing = 1;
  here.may_set_balancing = true;
  for (const char* name : {"interleave", "numatch", "numa-balancing", "no-numa-balancing"}) {
    EXPECT_TRUE(contains(named(name).why_not(here), "one NUMA node")) << name;
  }
}

TEST(UsualMethods, ManagedRunsNeedASensorAndPlaceNothingThemselves) {
  const topology machine = restricted();
  situation here{machine, live::cpu_mask::of_cpu(6)};
  here.no_sensor = "page faults are not shown";
  EXPECT_EQ(named("numatch").why_not(here), "page faults are not shown");
  here.no_sensor.clear();
  EXPECT_EQ(named("numatch").why_not(here), "");
  const result<run_setup> setup = named("numatch").prepare(here, 1);
  ASSERT_TRUE(setup);
  EXPECT_TRUE(setup->managed);
  EXPECT_TRUE(setup->plan.cpu_of_thread.empty());
  EXPECT_FALSE(named("default").prepare(here, 1)->managed);
}

TEST(UsualMethods, OneProcessorLeavesNoPlacesToChoose) {
  const topology machine = restricted();
  const situation here{machine, live::cpu_mask::of_cpu(6)};
  for (const char* name : {"random", "compact", "scatter"}) {
    EXPECT_TRUE(contains(named(name).why_not(here), "one processor")) << name;
  }
}

TEST(UsualMethods, BalancingIsSetOnlyWhereThisUserMay) {
  const topology machine = restricted();
  situation here{machine, live::cpu_mask::of_cpu(6)};
  EXPECT_TRUE(contains(named("numa-balancing").why_not(here), "no NUMA Balancing"));
  here.balancing = 1;
  EXPECT_TRUE(contains(named("numa-balancing").why_not(here), "may not change"));
  here.may_set_balancing = true;
  EXPECT_EQ(named("numa-balancing").why_not(here), "");
  EXPECT_EQ(named("numa-balancing").prepare(here, 1)->balancing, 1);
  EXPECT_EQ(named("no-numa-balancing").prepare(here, 1)->balancing, 0);
}

TEST(UsualMethods, EveryThreadGetsAPlace) {
  const topology machine = one_node();
  situation here{machine, this_process()};
  if (here.allowed.cpus().size() < 2) GTEST_SKIP() << "one processor";
  here.threads = 4;
  for (const char* name : {"random", "compact", "scatter"}) {
    const result<run_setup> setup = named(name).prepare(here, 1);
    ASSERT_TRUE(setup) << setup.error().message();
    ASSERT_EQ(setup->plan.cpu_of_thread.size(), 4U) << name;
    EXPECT_TRUE(std::all_of(setup->plan.cpu_of_thread.begin(), setup->plan.cpu_of_thread.end(),
                            [](const std::optional<unsigned>& cpu) { return cpu.has_value(); }));
  }
}

TEST(UsualMethods, RandomPlacesFollowTheSeed) {
  const topology machine = one_node();
  situation here{machine, this_process()};
  if (here.allowed.cpus().size() < 2) GTEST_SKIP() << "one processor";
  here.threads = 8;
  const method random = named("random");
  std::set<std::vector<std::optional<unsigned>>> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const result<run_setup> once = random.prepare(here, seed);
    const result<run_setup> again = random.prepare(here, seed);
    ASSERT_TRUE(once && again);
    EXPECT_EQ(once->plan.cpu_of_thread, again->plan.cpu_of_thread);
    seen.insert(once->plan.cpu_of_thread);
  }
  EXPECT_GT(seen.size(), 1U);
}

TEST(FileMethod, AMappingIsPinnedAsItSays) {
  const topology machine = restricted();
  situation here{machine, live::cpu_mask::of_cpu(6)};
  here.threads = 2;
  const std::string path = testing::TempDir() + "compare_two.map";
  ASSERT_TRUE(write_file(path, "{\"mapping\":[3,3]}\n"));
  const result<file_method> made = method_of_file(path, here);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->how.name, "compare_two.map");
  EXPECT_TRUE(made->notes.empty());
  EXPECT_EQ(made->how.prepare(here, 1)->plan.cpu_of_thread,
            (std::vector<std::optional<unsigned>>{6, 6}));
}

TEST(FileMethod, AMappingForAnotherNumberOfThreadsIsNoted) {
  const topology machine = restricted();
  situation here{machine, live::cpu_mask::of_cpu(6)};
  here.threads = 5;
  const std::string path = testing::TempDir() + "compare_one.map";
  ASSERT_TRUE(write_file(path, "{\"mapping\":[3]}\n"));
  const result<file_method> made = method_of_file(path, here);
  ASSERT_TRUE(made);
  ASSERT_EQ(made->notes.size(), 1U);
  EXPECT_TRUE(contains(made->notes[0], "has 1 threads, the program started 5"));
}

TEST(FileMethod, WhatIsNoMappingIsAnErrorThatNamesTheFile) {
  const topology machine = restricted();
  const situation here{machine, live::cpu_mask::of_cpu(6)};
  const std::string path = testing::TempDir() + "compare_bad.map";
  ASSERT_TRUE(write_file(path, "hello\n"));
  const result<file_method> bad = method_of_file(path, here);
  ASSERT_FALSE(bad);
  EXPECT_TRUE(contains(bad.error().message(), path));
  ASSERT_TRUE(write_file(path, "SQLite format 3 and then nothing\n"));
  EXPECT_FALSE(method_of_file(path, here));
  EXPECT_FALSE(method_of_file("/nowhere/x.map", here));
}

}  // namespace
}  // namespace numatch::compare
