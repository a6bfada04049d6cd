// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/topology.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace numatch {
namespace {

std::string message_of(const char* text) {
  try {
    topology::parse(text);
  } catch (const topology_error& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(Topology, ThisMachineHasANodeWithAProcessor) {
  const topology machine = topology::system();
  ASSERT_GE(machine.size(), 1u);
  EXPECT_FALSE(machine[0].cpus.empty());
  EXPECT_TRUE(machine.binds());
  EXPECT_NE(machine.why().find("this machine"), std::string::npos);
}

TEST(Topology, OneNodeSaysWhy) {
  const topology machine = topology::system();
  if (machine.size() > 1) GTEST_SKIP() << "this machine has several nodes";
  EXPECT_NE(machine.why().find("one"), std::string::npos) << machine.why();
}

TEST(Topology, SyntheticTextGivesVirtualNodes) {
  const topology machine = topology::parse("node:2 core:4 pu:2");
  ASSERT_EQ(machine.size(), 2u);
  EXPECT_EQ(machine[0].cpus.size(), 8u);
  EXPECT_EQ(machine.cpus(), 16u);
  EXPECT_FALSE(machine.binds());
  EXPECT_FALSE(machine[1].memory.has_value());
  EXPECT_EQ(machine.str(), "0-7:8-15");
}

TEST(Topology, MemoryWithoutProcessorsIsNoNode) {
  const topology machine = topology::parse("[numa] package:2 [numa] core:2 pu:1");
  EXPECT_EQ(machine.str(), "0-1:2-3");
  EXPECT_NE(machine.why().find("2 nodes, 1 left out because no usable processor is on it"),
            std::string::npos)
      << machine.why();
}

TEST(Topology, ANodeIsNearestToItself) {
  const topology machine = topology::parse("node:4 core:1 pu:1");
  for (std::size_t from = 0; from < 4; ++from) {
    EXPECT_EQ(machine.distance(from, from), 10u);
    for (std::size_t to = 0; to < 4; ++to) {
      if (from != to) {
        EXPECT_GT(machine.distance(from, to), 10u);
      }
    }
  }
}

TEST(Topology, ProcessorListsAreThisMachines) {
  const topology machine = topology::parse("0");
  ASSERT_EQ(machine.size(), 1u);
  EXPECT_TRUE(machine.binds());
  EXPECT_EQ(machine.str(), "0");
}

TEST(Topology, AProcessorThatIsNotHereIsAnError) {
  EXPECT_NE(message_of("0:8000").find("8000"), std::string::npos);
}

TEST(Topology, BadTextSaysWhatIsWrong) {
  EXPECT_NE(message_of("0-3:2").find("named twice"), std::string::npos);
  EXPECT_NE(message_of("3-1").find("backwards"), std::string::npos);
  EXPECT_NE(message_of("0:").find("no processor number"), std::string::npos);
  EXPECT_NE(message_of("99999").find("no processor number"), std::string::npos);
  EXPECT_NE(message_of("").find("no processor number"), std::string::npos);
  EXPECT_NE(message_of("node:two").find("hwloc cannot read"), std::string::npos);
}

TEST(Topology, AMissingXmlFileIsAnError) {
  EXPECT_THROW(topology::from_hwloc_xml("/nowhere/machine.xml"), topology_error);
}

TEST(Topology, TheEnvironmentReplacesTheSystem) {
  setenv("NUMATCH_TOPOLOGY", "node:4 core:1 pu:1", 1);
  const topology machine = topology::system();
  setenv("NUMATCH_TOPOLOGY", "rubbish:1", 1);
  std::string message;
  try {
    topology::system();
  } catch (const topology_error& wrong) {
    message = wrong.what();
  }
  unsetenv("NUMATCH_TOPOLOGY");
  EXPECT_EQ(machine.size(), 4u);
  EXPECT_NE(message.find("NUMATCH_TOPOLOGY"), std::string::npos) << message;
}

TEST(Topology, CachesCanBeTheNodes) {
  const std::string path = testing::TempDir() + "/numatch_l3.xml";
  const std::string command =
      "lstopo-no-graphics --if synthetic -i 'node:1 l3:4 core:2 pu:1' --of xml -f " + path +
      " > /dev/null 2>&1";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "lstopo is not installed";
  EXPECT_EQ(topology::from_hwloc_xml(path).size(), 1u);
  const topology caches = topology::from_hwloc_xml(path, node_unit::l3);
  ASSERT_EQ(caches.size(), 4u);
  EXPECT_EQ(caches[3].cpus.size(), 2u);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace numatch
