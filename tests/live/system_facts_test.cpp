// SPDX-License-Identifier: Apache-2.0
#include "live/system_facts.hpp"

#include <gtest/gtest.h>

#include "live/system_tree.hpp"
#include "live/system_trees.hpp"

namespace numatch::live {
namespace {

using numbers = std::vector<unsigned>;

system_facts facts_of(const tree_files& files) {
  return read_system_files(written_tree(files).root());
}

TEST(NumberList, HoldsRangesAndSingleNumbers) {
  EXPECT_EQ(number_list("0-3,8,10-11"), (numbers{0, 1, 2, 3, 8, 10, 11}));
}

TEST(NumberList, EndsWhereADamagedListDoes) {
  EXPECT_EQ(number_list(""), numbers{});
  EXPECT_EQ(number_list("2,x,3"), numbers{2});
  EXPECT_EQ(number_list("2,0-4000000000"), numbers{2});
  EXPECT_EQ(number_list("5-3"), numbers{});
}

TEST(SystemFacts, AServersNodesHaveTheirProcessorsAndMemory) {
  const system_facts facts = facts_of(debian_server());
  ASSERT_EQ(facts.nodes.size(), 2U);
  EXPECT_EQ(facts.nodes[1].os_index, 1U);
  EXPECT_EQ(facts.nodes[1].cpus, (numbers{4, 5, 6, 7}));
  EXPECT_EQ(facts.nodes[1].memory_bytes, 32768U * 1024);
}

TEST(SystemFacts, TheKernelIsComparedAsAVersion) {
  const system_facts old = facts_of(debian_server());
  EXPECT_EQ(old.release, "6.1.0-40-amd64");
  EXPECT_EQ(old.kernel, (kernel_version{6, 1}));
  const system_facts newer = facts_of(newer_server());
  EXPECT_EQ(newer.kernel, (kernel_version{6, 12}));
  EXPECT_LT(old.kernel, newer.kernel);
}

TEST(SystemFacts, AnOrdinaryUserHasNoRights) {
  const system_facts facts = facts_of(debian_server());
  EXPECT_EQ(facts.user, 1000U);
  EXPECT_FALSE(facts.may_trace_all || facts.may_sample_all || facts.may_renice_all);
  EXPECT_EQ(facts.perf_event_paranoid, 3);
  EXPECT_EQ(facts.perf_buffer_bytes, 516U * 1024);
  EXPECT_EQ(facts.yama_ptrace_scope, std::nullopt);
}

TEST(SystemFacts, RootHasAllRights) {
  const system_facts facts = facts_of(newer_server());
  EXPECT_EQ(facts.user, 0U);
  EXPECT_TRUE(facts.may_trace_all && facts.may_sample_all && facts.may_renice_all);
}

TEST(SystemFacts, RootOfAContainerLacksWhatItsCapabilitiesLack) {
  const system_facts facts = facts_of(container());
  EXPECT_EQ(facts.user, 0U);
  EXPECT_FALSE(facts.may_trace_all || facts.may_sample_all || facts.may_renice_all);
  EXPECT_EQ(facts.perf_event_paranoid, 4);
  EXPECT_EQ(facts.yama_ptrace_scope, 1);
}

TEST(SystemFacts, TheTightestControlGroupOnThePathLimits) {
  const limit_facts limits = facts_of(container()).limits;
  EXPECT_EQ(limits.cpus, (numbers{0, 2, 3}));
  EXPECT_EQ(limits.nodes, numbers{0});
  EXPECT_EQ(limits.memory_bytes, 268435456U);
  EXPECT_EQ(limits.cpu_time, 1.5);
}

TEST(SystemFacts, ControlGroupsOfTheFirstVersionLimitToo) {
  tree_files files = debian_server();
  files["/proc/self/cgroup"] = "4:memory:/job\n3:cpu,cpuacct:/job\n0::/\n";
  files["/sys/fs/cgroup/memory/job/memory.limit_in_bytes"] = "1048576\n";
  files["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  files["/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us"] = "50000\n";
  files["/sys/fs/cgroup/cpu/job/cpu.cfs_period_us"] = "100000\n";
  const limit_facts limits = facts_of(files).limits;
  EXPECT_EQ(limits.memory_bytes, 1048576U);
  EXPECT_EQ(limits.cpu_time, 0.5);
}

TEST(SystemFacts, WithoutLimitsNoneIsReported) {
  const limit_facts limits = facts_of(debian_server()).limits;
  EXPECT_EQ(limits.memory_bytes, std::nullopt);
  EXPECT_EQ(limits.cpu_time, std::nullopt);
}

TEST(SystemFacts, NodesWithoutProcessorsAreNodes) {
  const system_facts facts = facts_of(eight_nodes());
  ASSERT_EQ(facts.nodes.size(), 8U);
  EXPECT_EQ(facts.nodes[3].cpus, (numbers{6, 7}));
  EXPECT_TRUE(facts.nodes[4].cpus.empty());
  EXPECT_EQ(facts.nodes[7].memory_bytes, 8192U * 1024);
}

TEST(SystemFacts, WhoElsePlacesThreadsAndPagesIsSeen) {
  const system_facts busy = facts_of(eight_nodes());
  EXPECT_EQ(busy.numa_balancing, 3);
  EXPECT_EQ(busy.rivals.cache_aware, rival_facts::state::built_in);
  EXPECT_EQ(busy.rivals.sched_ext, "enabled");
  EXPECT_EQ(busy.rivals.sched_ext_name, "rusty_1.0.8");
  EXPECT_FALSE(busy.rivals.numad);
  const system_facts daemon = facts_of(newer_server());
  EXPECT_TRUE(daemon.rivals.numad);
  EXPECT_EQ(daemon.rivals.cache_aware, rival_facts::state::absent);
}

TEST(SystemFacts, RootSeesWhetherCacheAwareSchedulingIsOn) {
  tree_files files = eight_nodes();
  files["/sys/kernel/debug/sched/llc_balancing/enabled"] = "Y\n";
  EXPECT_EQ(facts_of(files).rivals.cache_aware, rival_facts::state::on);
  files["/sys/kernel/debug/sched/llc_balancing/enabled"] = "N\n";
  EXPECT_EQ(facts_of(files).rivals.cache_aware, rival_facts::state::off);
}

TEST(SystemFacts, TheUnitThatSamplesAddressesIsNamed) {
  EXPECT_EQ(facts_of(debian_server()).memory_sampling, std::nullopt);
  EXPECT_EQ(facts_of(newer_server()).memory_sampling, "cpu");
  EXPECT_EQ(facts_of(eight_nodes()).memory_sampling, "ibs_op");
}

TEST(SystemFacts, WhatKeepsModulesOutIsSeen) {
  const system_facts open = facts_of(debian_server());
  EXPECT_EQ(open.lockdown, "none");
  EXPECT_EQ(open.secure_boot, std::nullopt);
  const system_facts closed = facts_of(eight_nodes());
  EXPECT_EQ(closed.lockdown, "integrity");
  EXPECT_EQ(closed.secure_boot, true);
  EXPECT_EQ(closed.signed_modules_only, true);
}

TEST(SystemFacts, TheKernelModuleIsLookedFor) {
  tree_files files = debian_server();
  const kernel_module_facts none = facts_of(files).module;
  EXPECT_FALSE(none.loaded || none.built || none.headers);
  files["/sys/module/numatch/initstate"] = "live\n";
  files["/lib/modules/6.1.0-40-amd64/build/Makefile"] = "# headers\n";
  files["/lib/modules/6.1.0-40-amd64/modules.dep"] =
      "kernel/fs/ext4/ext4.ko:\nupdates/dkms/numatch.ko.xz:\n";
  const kernel_module_facts all = facts_of(files).module;
  EXPECT_TRUE(all.loaded && all.built && all.headers);
  files.erase("/lib/modules/6.1.0-40-amd64/modules.dep");
  files["/lib/modules/6.12.1-amd64/modules.dep"] = "updates/dkms/numatch.ko.xz:\n";
  EXPECT_FALSE(facts_of(files).module.built) << "it is for another kernel";
}

TEST(SystemFacts, TheModeOfHugePagesIsTheChosenOne) {
  EXPECT_EQ(facts_of(debian_server()).huge_pages, "madvise");
}

TEST(SystemFacts, AKernelWithoutNumaIsOneNode) {
  const system_facts facts = facts_of(
      {{"/sys/devices/system/cpu/online", "0-1\n"}, {"/proc/meminfo", "MemTotal:  4096 kB\n"}});
  ASSERT_EQ(facts.nodes.size(), 1U);
  EXPECT_EQ(facts.nodes[0].cpus, (numbers{0, 1}));
  EXPECT_EQ(facts.nodes[0].memory_bytes, 4096U * 1024);
  EXPECT_EQ(facts.numa_balancing, std::nullopt);
}

TEST(SystemFacts, AnEmptyTreeLeavesEverythingUnknown) {
  const system_facts facts = facts_of({});
  EXPECT_EQ(facts.kernel, (kernel_version{0, 0}));
  EXPECT_EQ(facts.perf_event_paranoid, std::nullopt);
  EXPECT_EQ(facts.huge_pages, std::nullopt);
  EXPECT_TRUE(facts.limits.cpus.empty());
}

TEST(SystemFacts, TheRunningSystemIsDescribedTheSameTwice) {
  const system_facts once = read_system_facts();
  const system_facts again = read_system_facts();
  EXPECT_GE(once.kernel, (kernel_version{3, 11}));
  ASSERT_FALSE(once.nodes.empty());
  EXPECT_EQ(once.perf_page_faults, again.perf_page_faults);
  EXPECT_EQ(once.perf_page_faults, once.perf_error == 0);
  EXPECT_EQ(once.soft_dirty, again.soft_dirty);
  EXPECT_EQ(once.userfaultfd_features, again.userfaultfd_features);
}

}  // namespace
}  // namespace numatch::live
