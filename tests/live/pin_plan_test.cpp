// SPDX-License-Identifier: Apache-2.0
#include "live/pin_plan.hpp"

#include <gtest/gtest.h>

#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

saved_mapping mapping_of(const std::vector<std::uint32_t>& pus) {
  saved_mapping mapping;
  for (const std::uint32_t pu : pus) mapping.answer.mapping.pu_of.emplace_back(pu);
  return mapping;
}

/// PUs 0..4 are CPUs 2, 3, 5, 6, 7 on the system's nodes 1, 1, 2, 3, 3.
topology restricted() {
  return topology::load(NUMATCH_SOURCE_DIR "/tests/topology/data/restricted_cpuset.xml").value();
}

TEST(PinPlan, UsesTheNumbersOfTheSystem) {
  const result<pin_plan> plan = plan_pins(mapping_of({3, 3}), restricted(), cpu_mask::of_cpu(6));
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->cpu_of_thread, (std::vector<std::optional<unsigned>>{6, 6}));
  EXPECT_TRUE(plan->notes.empty());
  EXPECT_TRUE(plan->interleave_nodes.empty());
}

TEST(PinPlan, RespectsWhereTheProcessMayRun) {
  const result<pin_plan> plan = plan_pins(mapping_of({3, 0, 1}), restricted(), cpu_mask::of_cpu(6));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->cpu_of_thread,
            (std::vector<std::optional<unsigned>>{6, std::nullopt, std::nullopt}));
  ASSERT_EQ(plan->notes.size(), 1U);
  EXPECT_TRUE(contains(plan->notes[0], "CPU 2-3: 2 of 3 threads"));
}

TEST(PinPlan, APuThatIsNotThereIsAnError) {
  saved_mapping mapping = mapping_of({0, 31});
  mapping.machine = "xeon32";
  const result<pin_plan> plan = plan_pins(mapping, restricted(), cpu_mask::of_cpu(2));
  ASSERT_FALSE(plan);
  EXPECT_TRUE(contains(plan.error().message(), "thread 1 on PU 31, but this machine has 5 PUs"));
  EXPECT_TRUE(contains(plan.error().message(), "'xeon32'"));
}

TEST(PinPlan, InterleavesOverTheNodesOfTheThreads) {
  saved_mapping mapping = mapping_of({4, 3, 2});
  mapping.pages = page_placement{};
  mapping.pages->policy = page_policy::interleave;
  const result<pin_plan> plan = plan_pins(mapping, restricted(), cpu_mask::of_cpu(5));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->interleave_nodes, (std::vector<unsigned>{2, 3}));
}

TEST(PinPlan, OnOneNodeAPagePolicyHasNoEffectAndIsSaid) {
  saved_mapping mapping = mapping_of({0});
  mapping.pages = page_placement{};
  mapping.pages->policy = page_policy::interleave;
  const result<pin_plan> plan =
      plan_pins(mapping, topology::load("numa:1 pu:2").value(), cpu_mask::of_cpu(0));
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->interleave_nodes.empty());
  ASSERT_EQ(plan->notes.size(), 1U);
  EXPECT_TRUE(contains(plan->notes[0], "one NUMA node"));
}

TEST(CpuMask, HoldsCpusBeyondOneWord) {
  const cpu_mask mask = cpu_mask::of_cpu(200);
  EXPECT_TRUE(mask.has(200));
  EXPECT_FALSE(mask.has(199));
  EXPECT_FALSE(mask.has(100000));
  EXPECT_EQ(mask.cpus(), (std::vector<unsigned>{200}));
}

TEST(CpuMask, OfThisProcessIsNotEmptyAndCanBeSetAgain) {
  const result<cpu_mask> mask = cpu_mask::of_task(0);
  ASSERT_TRUE(mask) << mask.error().message();
  EXPECT_FALSE(mask->cpus().empty());
  EXPECT_TRUE(mask->apply_to(0));
}

}  // namespace
}  // namespace numatch::live
