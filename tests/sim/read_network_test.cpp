// SPDX-License-Identifier: Apache-2.0
#include "sim/read_network.hpp"

#include <fstream>

#include "sim/read_configs.hpp"
#include "support/expect_text.hpp"

namespace numatch::sim {
namespace {

TEST(ReadNetwork, ALinkMakesUpTheDifferenceOfRemoteAndLocalLatency) {
  // 90 and 50 ns at 2.4 GHz are 96 cycles apart. At 4.88 B per cycle the request of 8 B and the
  // data of 72 B occupy the link for 2 and 15 cycles, of which the first is in the latency.
  const machine_config machine = good("nehalem-2x4");
  const link_config& link = machine.network.links[machine.network.route[0][1].front()];
  EXPECT_NEAR(link.bytes_per_cycle, 4.883, 0.001);
  EXPECT_EQ(link.latency, 41U);  // 40.5
  EXPECT_NEAR(2 * link.latency + (2 - 1) + (15 - 1), 96, 1);
}

TEST(ReadNetwork, AStatedLinkLatencyGoesBeforeTheRemoteLatency) {
  const machine_config machine = good("nehalem-2x4", {{"link.inter.latency", "7 cycles"}});
  EXPECT_EQ(machine.network.links[0].latency, 7U);
}

TEST(ReadNetwork, BandwidthIsInBytesPerCycle) {
  const auto width = [](const settings& set) {
    return good("simics-4x2", set).network.links[0].bytes_per_cycle;
  };
  EXPECT_DOUBLE_EQ(width({{"link.inter.bandwidth", "8 B/cycle"}}), 8);
  EXPECT_DOUBLE_EQ(width({{"link.inter.bandwidth", "12.8 GB/s"}}), 6.4);
  EXPECT_DOUBLE_EQ(width({{"link.inter.bandwidth", "6400 MT/s"}, {"link.inter.width", "2 B"}}),
                   6.4);
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"link.inter.bandwidth", "6400 MT/s"}}),
                       "needs the bytes of one transfer; state link.inter.width"));
}

TEST(ReadNetwork, TheXeonsChipsAreJoinedPairwise) {
  const network_config network = good("xeon64").network;
  EXPECT_EQ(network.links.size(), 12U);
  for (unsigned from = 0; from < 4; ++from) {
    for (unsigned to = 0; to < 4; ++to) {
      EXPECT_EQ(network.route[from][to].size(), from == to ? 0U : 1U);
    }
  }
}

TEST(ReadNetwork, TheShapeOfTheNetworkCanBeSet) {
  EXPECT_EQ(good("opteron-8x4", {{"link.inter.topology", "ring"}}).network.links.size(), 16U);
  EXPECT_EQ(good("opteron-8x4", {{"link.inter.topology", "full"}}).network.links.size(), 56U);
  const network_config mesh =
      good("opteron-8x4", {{"link.inter.topology", "mesh"}, {"link.inter.dimensions", "4x2"}})
          .network;
  EXPECT_EQ(mesh.links.size(), 20U);
  EXPECT_EQ(mesh.route[0][7].size(), 4U);
}

TEST(ReadNetwork, AMeshNeedsDimensionsThatFit) {
  EXPECT_TRUE(contains(message_of("opteron-8x4", {{"link.inter.topology", "mesh"}}),
                       "'mesh' needs its dimensions"));
  for (const char* wrong : {"3x2", "4x", "x2", "4x2x", "0x8", "4 x 2", "64x64x64x64x64x64x64"}) {
    EXPECT_TRUE(contains(message_of("opteron-8x4", {{"link.inter.topology", "mesh"},
                                                    {"link.inter.dimensions", wrong}}),
                         "does not make 8 nodes"))
        << wrong;
  }
}

class WrittenDistances : public testing::Test {
 protected:
  static std::string write(const std::string& name, const std::string& text) {
    const std::string path = testing::TempDir() + "numatch_sim_" + name + ".toml";
    std::ofstream(path) << text;
    return path;
  }
  static std::string with_distances(const std::string& name, const std::string& rows) {
    return write(name,
                 "[tree]\nhwloc = { value = \"numa:3 core:1 pu:1\", source = \"t\" }\n"
                 "[distance]\nnodes = { value = " +
                     rows + ", unit = \"SLIT\", source = \"t\" }\n");
  }
};

TEST_F(WrittenDistances, DistancesMakeLatenciesOfPairs) {
  // Nearest 16: 40 cycles. 22 is twice as far beyond the local 10, 19 one and a half times.
  const std::string path = with_distances("three", "[[10, 16, 22], [16, 10, 19], [22, 19, 10]]");
  const network_config network = good(path).network;
  const auto latency = [&](unsigned from, unsigned to) {
    return network.links[network.route[from][to].front()].latency;
  };
  EXPECT_EQ(latency(0, 1), 40U);
  EXPECT_EQ(latency(0, 2), 80U);
  EXPECT_EQ(latency(2, 1), 60U);
}

TEST_F(WrittenDistances, DistancesThatMakeNoSenseAreRefused) {
  const settings matrix{{"link.inter.topology", "matrix"}};
  const char* text = "the distances between nodes are not 10 to themselves and more to others";
  EXPECT_TRUE(contains(
      message_of(with_distances("local", "[[10, 10, 20], [20, 10, 20], [20, 20, 10]]"), matrix),
      text));
  EXPECT_TRUE(contains(
      message_of(with_distances("self", "[[11, 20, 20], [20, 10, 20], [20, 20, 10]]"), matrix),
      text));
}

TEST(ReadNetwork, ADataMessageHoldsALine) {
  EXPECT_TRUE(
      contains(message_of("simics-4x2", {{"link.data", "48 B"}}), "link.data is less than a line"));
}

TEST(ReadNetwork, ARemoteLatencyWithoutRoomForALineIsRefused) {
  EXPECT_TRUE(contains(message_of("nehalem-2x4", {{"memory.remote_latency", "51 ns"}}),
                       "nehalem-2x4: memory.remote_latency is less than memory.local_latency and"));
}

TEST(ReadNetwork, AMachineOfOneNodeHasNoLinks) {
  const machine_config machine = good("numa:1 core:4 pu:2");
  EXPECT_TRUE(machine.network.links.empty());
  EXPECT_EQ(machine.chips(), 1U);
  EXPECT_EQ(machine.cores.count, 4U);
}

}  // namespace
}  // namespace numatch::sim
