// SPDX-License-Identifier: Apache-2.0
#include "live/concerns.hpp"

#include <gtest/gtest.h>

#include "live/system_trees.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

system_facts facts_of(const tree_files& files) {
  return read_system_files(written_tree(files).root());
}

concern named(const std::string& name, const system_facts& facts) {
  for (const concern& c : concerns_of(facts)) {
    if (c.name == name) return c;
  }
  ADD_FAILURE() << "no concern " << name;
  return {};
}

std::vector<std::string> matter(const system_facts& facts) {
  std::vector<std::string> names;
  for (const concern& c : concerns_of(facts)) {
    if (c.matters) names.push_back(c.name);
  }
  return names;
}

TEST(Concerns, OnAPlainServerOnlyNumaBalancingMatters) {
  const system_facts facts = facts_of(debian_server());
  EXPECT_EQ(matter(facts), std::vector<std::string>{"NUMA Balancing"});
  EXPECT_EQ(named("NUMA Balancing", facts).state, "on (1)");
}

TEST(Concerns, NumaBalancingOnOneNodeMovesNothing) {
  tree_files files = debian_server();
  files["/sys/devices/system/node/online"] = "0\n";
  EXPECT_FALSE(named("NUMA Balancing", facts_of(files)).matters);
}

TEST(Concerns, BalancingBetweenTiersIsAnotherThing) {
  tree_files files = debian_server();
  files["/proc/sys/kernel/numa_balancing"] = "2\n";
  EXPECT_TRUE(contains(named("NUMA Balancing", facts_of(files)).says, "fast and slow memory"));
}

TEST(Concerns, TheDaemonIsNamed) {
  EXPECT_TRUE(named("numad", facts_of(newer_server())).matters);
  EXPECT_EQ(named("sched_ext", facts_of(newer_server())).state, "disabled");
  EXPECT_FALSE(named("sched_ext", facts_of(newer_server())).matters);
}

TEST(Concerns, AContainersLimitsMatter) {
  const system_facts facts = facts_of(container());
  EXPECT_EQ(named("processors and nodes", facts).state, "processors 0,2-3 of 8, nodes 0 of 2");
  EXPECT_EQ(named("control group: processor time", facts).state, "1.5 processors");
  EXPECT_TRUE(named("control group: processor time", facts).matters);
}

TEST(Concerns, AMemoryLimitAboveTheMachinesMemoryIsNone) {
  // The machine of this tree has 48 MiB, the limit is 256 MiB.
  EXPECT_FALSE(named("control group: memory", facts_of(container())).matters);
  tree_files files = container();
  files["/sys/fs/cgroup/app/memory.max"] = "1048576\n";
  EXPECT_TRUE(named("control group: memory", facts_of(files)).matters);
}

TEST(Concerns, ABusyMachineHasManyWhoPlace) {
  const system_facts facts = facts_of(eight_nodes());
  EXPECT_EQ(matter(facts), (std::vector<std::string>{"NUMA Balancing", "cache-aware scheduling",
                                                     "sched_ext", "nodes without processors"}));
  EXPECT_EQ(named("nodes without processors", facts).state, "4-7");
  EXPECT_TRUE(contains(named("sched_ext", facts).says, "rusty_1.0.8"));
  EXPECT_EQ(named("kernel modules", facts).state, "signed ones only (lockdown: integrity)");
}

TEST(Concerns, NothingIsKnownOfAnEmptyTree) {
  EXPECT_TRUE(matter(facts_of({})).empty());
}

}  // namespace
}  // namespace numatch::live
