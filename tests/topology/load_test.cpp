// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/expect_text.hpp"
#include "topology/machine_folders.hpp"
#include "topology/topology.hpp"

namespace numatch {
namespace {

topology load(const std::string& spec) {
  result<topology> machine = topology::load(spec);
  EXPECT_TRUE(machine) << (machine ? "" : machine.error().message());
  return machine ? *machine : topology();
}

std::string fixture(const std::string& name) {
  return NUMATCH_SOURCE_DIR "/tests/topology/data/" + name;
}

std::string message_of(const std::string& spec) {
  const result<topology> machine = topology::load(spec);
  return machine ? "no error" : machine.error().message();
}

TEST(Synthetic, FourNodesOfTwoCores) {
  const topology machine = load("numa:4 core:2 pu:1");
  EXPECT_EQ(machine.pu_count(), 8U);
  EXPECT_EQ(machine.node_count(), 4U);
  EXPECT_EQ(machine.arities(), (std::vector<unsigned>{4, 2}));
  EXPECT_EQ(machine.level_names(), (std::vector<std::string>{"Machine", "NUMANode", "PU"}));
  EXPECT_EQ(machine.distance(pu_id(3), pu_id(3)), 0U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(1)), 2U) << "the two cores of a node";
  EXPECT_EQ(machine.distance(pu_id(1), pu_id(2)), 4U) << "across nodes";
  EXPECT_EQ(machine.node_of(pu_id(5)), node_id(2));
  EXPECT_FALSE(machine.distances_known());
  EXPECT_EQ(machine.node_distance(node_id(1), node_id(1)), 10);
  EXPECT_EQ(machine.node_distance(node_id(1), node_id(2)), 20);
}

TEST(Synthetic, LevelsOfOneChildDoNotCount) {
  const topology machine = load("package:2 numa:1 l3:1 core:2 pu:2");
  EXPECT_EQ(machine.arities(), (std::vector<unsigned>{2, 2, 2}));
  EXPECT_EQ(machine.level_names(), (std::vector<std::string>{"Machine", "NUMANode", "Core", "PU"}));
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(1)), 2U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(2)), 4U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(7)), 6U);
}

TEST(Synthetic, OneProcessorHasNoLevel) {
  const topology machine = load("numa:1 pu:1");
  EXPECT_EQ(machine.pu_count(), 1U);
  EXPECT_EQ(machine.depth(), 0U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(0)), 0U);
}

TEST(Synthetic, HardwareThreadsKnowTheirCore) {
  const topology two = load("numa:2 core:1 pu:2");
  EXPECT_EQ(two.core_of(pu_id(0)), two.core_of(pu_id(1)));
  EXPECT_NE(two.core_of(pu_id(1)), two.core_of(pu_id(2)));
  EXPECT_EQ(two.core_of(pu_id(3)), 1U);
}

TEST(Synthetic, WithoutCoresEveryPuIsOne) {
  EXPECT_EQ(load("numa:2 pu:2").core_of(pu_id(3)), 3U);
}

TEST(Synthetic, CachesSayWhoSharesThem) {
  const topology machine = load("numa:2 l3:1 l2:2 l1:1 core:1 pu:2");
  ASSERT_EQ(machine.caches().size(), 3U);
  const cache_level& l2 = machine.caches()[1];
  EXPECT_EQ(l2.level, 2U);
  EXPECT_EQ(l2.group, (std::vector<unsigned>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(machine.caches()[2].group, (std::vector<unsigned>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(l2.bytes, 0U) << "the string states no size";
}

TEST(Synthetic, StatedCacheSizesAreKept) {
  const topology machine = load("numa:2 l3:1(size=20MiB) core:2 pu:1");
  ASSERT_EQ(machine.caches().size(), 1U);
  EXPECT_EQ(machine.caches()[0].bytes, 20U << 20U);
}

TEST(Live, IsAMachineWithProcessors) {
  const topology machine = load("live");
  EXPECT_GE(machine.pu_count(), 1U);
  EXPECT_GE(machine.node_count(), 1U);
  EXPECT_EQ(machine.name(), "live");
}

TEST(Xml, UnevenPackages) {
  // Package 0 has 4 cores of 2 PUs, package 1 has one.
  const topology machine = load(fixture("uneven_packages.xml"));
  EXPECT_EQ(machine.pu_count(), 10U);
  EXPECT_TRUE(machine.arities().empty());
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(1)), 2U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(2)), 4U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(9)), 6U);
  EXPECT_EQ(machine.distance(pu_id(8), pu_id(9)), 2U);
  EXPECT_TRUE(machine.distances_known());
  EXPECT_EQ(machine.node_distance(node_id(0), node_id(1)), 17);
}

TEST(Xml, ANodeWithoutProcessorsIsNobodysHome) {
  const topology machine = load(fixture("cpuless_node.xml"));
  EXPECT_EQ(machine.pu_count(), 4U);
  EXPECT_EQ(machine.node_count(), 3U);
  EXPECT_EQ(machine.arities(), (std::vector<unsigned>{2, 2}));
  for (std::uint32_t pu = 0; pu < 4; ++pu) EXPECT_EQ(machine.node_of(pu_id(pu)).value, pu / 2);
  EXPECT_EQ(machine.node_distance(node_id(0), node_id(2)), 14);
}

TEST(Xml, AProcessorWithoutNodeGetsTheNearest) {
  // Package 1 has cores 4-7, its second node (cores 6 and 7) is not there.
  const topology machine = load(fixture("pus_without_node.xml"));
  EXPECT_EQ(machine.pu_count(), 8U);
  EXPECT_EQ(machine.node_count(), 3U);
  EXPECT_EQ(machine.node_of(pu_id(5)), node_id(2));
  EXPECT_EQ(machine.node_of(pu_id(6)), node_id(2)) << "the node of the same package";
  EXPECT_EQ(machine.node_of(pu_id(7)), node_id(2));
}

TEST(Xml, ARestrictedMachineKeepsTheNumbersOfTheSystem) {
  const topology machine = load(fixture("restricted_cpuset.xml"));
  EXPECT_EQ(machine.pu_count(), 5U);
  EXPECT_EQ(machine.os_index(pu_id(0)), 2U);
  EXPECT_EQ(machine.os_index(pu_id(2)), 5U);
  EXPECT_EQ(machine.os_index(pu_id(4)), 7U);
  EXPECT_EQ(machine.os_index(machine.node_of(pu_id(4))), 3U);
  EXPECT_EQ(machine.distance(pu_id(0), pu_id(1)), 2U);
  EXPECT_EQ(machine.distance(pu_id(1), pu_id(2)), 4U);
}

TEST(Spec, WhatCannotBeReadIsSaidInOneLine) {
  const std::string text = message_of("xeon46");
  EXPECT_TRUE(contains(text, "unknown machine 'xeon46'; did you mean 'xeon64'?"));
  EXPECT_TRUE(contains(text, "'live'"));
  EXPECT_TRUE(contains(text, "opteron-8x4"));
  EXPECT_TRUE(contains(text, "hwloc synthetic string"));
  EXPECT_TRUE(contains(text, "XML"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Spec, BadInputIsAnError) {
  EXPECT_TRUE(contains(message_of(""), "unknown machine ''"));
  EXPECT_TRUE(contains(message_of("numa:0 pu:1"), "is not an hwloc synthetic string"));
  EXPECT_TRUE(contains(message_of("core:2"), "is not an hwloc synthetic string"));
  EXPECT_TRUE(contains(message_of("socket:two pu:1"), "is not an hwloc synthetic string"));
  EXPECT_TRUE(contains(message_of("/nowhere/machine.xml"), "/nowhere/machine.xml"));
  EXPECT_TRUE(contains(message_of("/"), "is a directory"));
}

TEST(Spec, AMachineThatIsTooLargeIsRefusedBeforeItIsBuilt) {
  EXPECT_TRUE(contains(message_of("pu:1000000000"), "describes 1e+09 PUs, at most 8192 work"));
  EXPECT_TRUE(contains(message_of("64 64 64"), "at most 8192 work"));
  EXPECT_EQ(load("numa:2(memory=16GiB) pu:3").pu_count(), 6U);
}

TEST(Spec, AFileThatIsNoTopologyIsAnError) {
  const std::string path = testing::TempDir() + "numatch_not_a_topology.xml";
  for (const char* content : {"", "hello", "<topology>", "<?xml version=\"1.0\"?><html/>"}) {
    std::ofstream(path) << content;
    EXPECT_TRUE(contains(message_of(path), "is not an hwloc XML topology")) << content;
  }
}

TEST(Machines, AllOfTheFolderLoad) {
  for (const char* name : {"simics-4x2", "xeon32", "xeon64", "opteron-8x4", "nehalem-2x4"}) {
    const topology machine = load(name);
    EXPECT_EQ(machine.name(), name);
    EXPECT_FALSE(machine.facts().empty());
  }
}

TEST(Machines, HaveTheShapeOfThePapers) {
  const topology simics = load("simics-4x2");
  EXPECT_EQ(simics.arities(), (std::vector<unsigned>{4, 2}));
  ASSERT_EQ(simics.caches().size(), 2U);
  EXPECT_EQ(simics.caches()[0].bytes, 16U << 10U);
  EXPECT_EQ(simics.caches()[1].bytes, 1U << 20U);
  EXPECT_EQ(simics.caches()[1].ways, 8U);
  EXPECT_EQ(load("xeon32").arities(), (std::vector<unsigned>{2, 8, 2}));
  const topology xeon64 = load("xeon64");
  EXPECT_EQ(xeon64.arities(), (std::vector<unsigned>{4, 8, 2}));
  EXPECT_EQ(xeon64.caches()[2].bytes, 18U << 20U);
  const topology opteron = load("opteron-8x4");
  EXPECT_EQ(opteron.arities(), (std::vector<unsigned>{4, 2, 4}));
  EXPECT_EQ(opteron.node_count(), 8U);
  EXPECT_EQ(opteron.node_distance(node_id(0), node_id(7)), 20);
  const topology nehalem = load("nehalem-2x4");
  EXPECT_EQ(nehalem.arities(), (std::vector<unsigned>{2, 4}));
  EXPECT_EQ(nehalem.node_distance(node_id(0), node_id(1)), 18);
}

TEST(Machines, EveryFactHasASource) {
  for (const std::string& name : machine_names()) {
    const topology machine = load(name);
    for (const topology::fact& fact : machine.facts()) {
      EXPECT_FALSE(fact.source.empty()) << name << ": " << fact.key;
    }
  }
}

TEST(Machines, AFolderOfTheUserComesFirst) {
  const std::string folder = testing::TempDir() + "numatch_machines";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/xeon32.toml")
      << "[tree]\nhwloc = { value = \"numa:3 pu:1\", source = \"test\" }\n";
  ::setenv("NUMATCH_MACHINES", ("/nowhere:" + folder).c_str(), 1);
  EXPECT_EQ(load("xeon32").pu_count(), 3U);
  ::unsetenv("NUMATCH_MACHINES");
  EXPECT_EQ(load("xeon32").pu_count(), 32U);
}

}  // namespace
}  // namespace numatch
