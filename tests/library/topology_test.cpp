// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/topology.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "numatch/numa/partitioned.hpp"

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

/// A machine as hwloc's export writes it, in a file that goes away again.
class MachineFile {
 public:
  explicit MachineFile(const char* synthetic)
      : path_(testing::TempDir() + "/numatch_machine_" + std::to_string(getpid()) + ".xml") {
    hwloc_topology_t machine = nullptr;
    hwloc_topology_init(&machine);
    hwloc_topology_set_synthetic(machine, synthetic);
    hwloc_topology_load(machine);
    EXPECT_EQ(hwloc_topology_export_xml(machine, path_.c_str(), 0), 0);
    hwloc_topology_destroy(machine);
  }
  ~MachineFile() { std::remove(path_.c_str()); }
  MachineFile(const MachineFile&) = delete;
  MachineFile& operator=(const MachineFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Topology, AMachineComesFromItsXmlFile) {
  const MachineFile file("package:2 [numa] core:3 pu:2");
  const topology machine = topology::from_hwloc_xml(file.path());
  EXPECT_EQ(machine.str(), "0-5:6-11");
  EXPECT_FALSE(machine.binds());
  EXPECT_NE(machine.why().find(file.path() + ": 2 nodes"), std::string::npos) << machine.why();
}

TEST(Topology, AnXmlFileThatIsNoneIsAnErrorWithItsName) {
  const std::string path =
      testing::TempDir() + "/numatch_no_machine_" + std::to_string(getpid()) + ".xml";
  std::ofstream(path) << "<topology><nothing/>";
  std::string message;
  try {
    topology::from_hwloc_xml(path);
  } catch (const topology_error& wrong) {
    message = wrong.what();
  }
  std::remove(path.c_str());
  EXPECT_NE(message.find(path), std::string::npos) << message;
}

TEST(Topology, CachesCanBeTheNodes) {
  const MachineFile file("node:1 l3:4 core:2 pu:1");
  EXPECT_EQ(topology::from_hwloc_xml(file.path()).size(), 1u);
  const topology caches = topology::from_hwloc_xml(file.path(), node_unit::l3);
  ASSERT_EQ(caches.size(), 4u);
  EXPECT_EQ(caches[3].cpus.size(), 2u);
  runtime nodes(caches);
  const partitioned<int> parts(
      nodes, [](std::size_t part, std::pmr::memory_resource*) { return static_cast<int>(part); });
  EXPECT_EQ(parts.map_reduce([](int part) { return part; }, std::plus<>()), 0 + 1 + 2 + 3);
}

TEST(Topology, NodesStayNodesWhereNoCacheIsShared) {
  const MachineFile file("node:2 core:2 pu:1");
  EXPECT_EQ(topology::from_hwloc_xml(file.path(), node_unit::l3).size(), 2u);
}

}  // namespace
}  // namespace numatch
