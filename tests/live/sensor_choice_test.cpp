// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "live/child_process.hpp"
#include "live/new_kernel.hpp"
#include "live/sensor.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

/// A machine on which everything works.
system_facts new_machine() {
  system_facts facts;
  facts.kernel = {7, 3};
  facts.nodes = {{0, {0}, 1 << 20}, {1, {1}, 1 << 20}};
  facts.perf_page_faults = true;
  facts.numa_balancing = 1;
  facts.soft_dirty = true;
  facts.userfaultfd_features = uffd_feature_wp_async | uffd_feature_rwp | uffd_feature_rwp_async;
  return facts;
}

std::string chosen(std::string_view name, const system_facts& here) {
  const result<const sensor_entry*> entry = choose_sensor(name, here);
  return entry ? std::string((*entry)->name) : entry.error().message();
}

TEST(SensorChoice, NamesAndRanksAreApart) {
  std::set<std::string_view> names;
  std::set<int> ranks;
  for (const sensor_entry* entry : all_sensors()) {
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name;
    EXPECT_TRUE(ranks.insert(entry->rank).second) << entry->name;
    EXPECT_FALSE(entry->summary.empty() || entry->sees.empty() || entry->source.empty());
    EXPECT_EQ(entry->sees_reads, contains(std::string(entry->sees), "reads"));
  }
}

TEST(SensorChoice, AutoTakesTheBestThatWorks) {
  system_facts facts = new_machine();
  EXPECT_EQ(chosen("auto", facts), "rwp");
  facts.userfaultfd_features = uffd_feature_wp_async;
  EXPECT_EQ(chosen("auto", facts), "numa-hint");
  facts.numa_balancing = 0;
  EXPECT_EQ(chosen("auto", facts), "wp");
}

TEST(SensorChoice, WhatDoesNotWorkSaysWhyAndWhatWouldHelp) {
  system_facts facts = new_machine();
  facts.userfaultfd_features = 0;
  facts.kernel = {5, 10};
  facts.numa_balancing = 0;
  EXPECT_TRUE(contains(chosen("rwp", facts), "needs Linux 7.3"));
  EXPECT_TRUE(contains(chosen("wp", facts), "needs Linux 6.7"));
  EXPECT_TRUE(contains(chosen("numa-hint", facts), "needs Linux 5.12"));
  EXPECT_TRUE(contains(chosen("numa-hint-passive", facts), "sysctl kernel.numa_balancing=1"));
  facts.nodes.pop_back();
  EXPECT_TRUE(contains(chosen("numa-hint-passive", facts), "one NUMA node"));
  facts.userfaultfd_features.reset();
  EXPECT_TRUE(contains(chosen("wp", facts), "no userfaultfd"));
}

#if defined(__x86_64__)
TEST(SensorChoice, TheKernelModuleIsTheBestWhereItMayBeUsed) {
  system_facts facts = new_machine();
  facts.module.loaded = true;
  facts.module.trouble = "this user may not observe";
  EXPECT_EQ(chosen("auto", facts), "rwp");
  EXPECT_TRUE(contains(chosen("module", facts), "this user may not observe"));
  EXPECT_TRUE(contains(chosen("module", facts), "CAP_SYS_ADMIN"));
  facts.module.usable = true;
  EXPECT_EQ(chosen("auto", facts), "module");
}

TEST(SensorChoice, AModuleThatIsNotLoadedSaysWhatItTakes) {
  system_facts facts = new_machine();
  EXPECT_TRUE(contains(chosen("module", facts), "tried on Linux 6.1 and 6.12 only"));
  facts.kernel = {6, 12};
  facts.release = "6.12.3-amd64";
  EXPECT_TRUE(contains(chosen("module", facts), "needs linux-headers-6.12.3-amd64"));
  facts.module.headers = true;
  EXPECT_TRUE(contains(chosen("module", facts), "numatch module build"));
  facts.module.built = true;
  EXPECT_TRUE(contains(chosen("module", facts), "numatch module load"));
}
#endif

TEST(SensorChoice, NothingWorksWherePageFaultsAreHidden) {
  system_facts facts = new_machine();
  facts.perf_page_faults = false;
  facts.perf_event_paranoid = 3;
  EXPECT_TRUE(contains(chosen("auto", facts), "does not work here"));
  EXPECT_TRUE(contains(chosen("rwp", facts), "kernel.perf_event_paranoid=2"));
}

TEST(SensorChoice, AnUnknownNameSuggestsTheNearest) {
  EXPECT_TRUE(contains(chosen("nmua-hint", new_machine()), "numa-hint"));
  EXPECT_TRUE(contains(chosen("", new_machine()), "unknown sensor"));
}

TEST(SensorChoice, AutoGoesOnToTheNextWhenTheProgramForbidsTheBest) {
  const system_facts here = read_system_facts();
  if (!here.perf_page_faults) GTEST_SKIP() << "page faults may not be observed here";
  const child_process child([] {
    for (;;) ::pause();
    return 0;
  });
  result<observed_process> process = observed_process::open(child.pid());
  ASSERT_TRUE(process) << process.error().message();
  // This kernel is told to be newer than it is: its best sensor fails when it is tried.
  system_facts pretended = new_machine();
  pretended.soft_dirty = here.soft_dirty;
  if (here.userfaultfd_features && (*here.userfaultfd_features & uffd_feature_rwp_async) != 0) {
    GTEST_SKIP() << "this kernel has RWP_ASYNC";
  }
  const result<opened_sensor> opened = open_sensor("auto", pretended, *process);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_NE(opened->entry->name, "rwp");
  EXPECT_TRUE(contains(opened->note, "rwp"));
  EXPECT_FALSE(open_sensor("rwp", pretended, *process));
}

}  // namespace
}  // namespace numatch::live
