// SPDX-License-Identifier: Apache-2.0
#include "sim/read_inside.hpp"

#include "sim/read_configs.hpp"
#include "support/expect_text.hpp"

namespace numatch::sim {
namespace {

/// With stops, and these settings besides.
settings with_stops(settings besides = {}) {
  besides["link.intra.model"] = "stops";
  return besides;
}

TEST(ReadInside, ChipsHaveNoStopsUnlessTheMachineSaysSo) {
  EXPECT_TRUE(good("simics-4x2").inside.chips.empty());
  EXPECT_TRUE(good("simics-4x2", {{"link.intra.model", "one hop"}}).inside.chips.empty());
  EXPECT_EQ(good("simics-4x2", with_stops()).inside.chips.size(), 4U);
}

TEST(ReadInside, CoresAndBanksAlternateAndTheGateIsTheLastStop) {
  const inside_config inside = good("simics-4x2", with_stops()).inside;
  EXPECT_EQ(inside.stop_of_pu, (std::vector<unsigned>{0, 2, 0, 2, 0, 2, 0, 2}));
  const chip_config& chip = inside.chips.front();
  EXPECT_EQ(chip.stop_of_bank, (std::vector<unsigned>{1, 3}));
  EXPECT_EQ(chip.gate, 4U);
  ASSERT_EQ(chip.ways.links.size(), 10U) << "five stops in a ring, both directions";
  EXPECT_EQ(chip.ways.links.front().latency, 1U);
  EXPECT_EQ(chip.ways.links.front().bytes_per_cycle, 64);
  EXPECT_EQ(chip.ways.data_bytes, 72U);
  EXPECT_EQ(inside.bank_busy, 5U) << "as long as a lookup takes";
}

TEST(ReadInside, WhatIsLeftOverOfCoresOrBanksFollows) {
  const settings four{{"cache.l2.banks", "4"}};
  const inside_config more_banks = good("simics-4x2", with_stops(four)).inside;
  EXPECT_EQ(more_banks.stop_of_pu[1], 2U);
  EXPECT_EQ(more_banks.chips[0].stop_of_bank, (std::vector<unsigned>{1, 3, 4, 5}));
  EXPECT_EQ(more_banks.chips[0].gate, 6U);
  const settings one{{"cache.l2.banks", "1"}};
  const inside_config more_cores = good("simics-4x2", with_stops(one)).inside;
  EXPECT_EQ(more_cores.stop_of_pu[1], 2U);
  EXPECT_EQ(more_cores.chips[0].gate, 3U);
}

TEST(ReadInside, HardwareThreadsOfACoreShareAStop) {
  const machine_config machine = good("xeon32", with_stops());
  EXPECT_EQ(machine.inside.stop_of_pu[0], machine.inside.stop_of_pu[1]);
  EXPECT_NE(machine.inside.stop_of_pu[1], machine.inside.stop_of_pu[2]);
  EXPECT_EQ(machine.inside.chips[1].gate, 8U + machine.caches.back().banks);
}

TEST(ReadInside, WidthAndBusyTimeAreInCycles) {
  const settings set = with_stops({{"link.intra.bandwidth", "32 GB/s"}, {"cache.l2.busy", "1 ns"}});
  const inside_config inside = good("simics-4x2", set).inside;
  EXPECT_DOUBLE_EQ(inside.chips[0].ways.links[0].bytes_per_cycle, 16);
  EXPECT_EQ(inside.bank_busy, 2U);
}

TEST(ReadInside, AMeshIsAsSquareAsCanBe) {
  const settings set = with_stops({{"link.intra.topology", "mesh"}});
  // 3 columns, 2 rows: one place is only passed through.
  const network_config ways = good("simics-4x2", set).inside.chips[0].ways;
  EXPECT_EQ(ways.route.size(), 6U);
  EXPECT_EQ(ways.route[0][4].size(), 2U);
}

TEST(ReadInside, AMeshTakesDimensionsWithRoomForAllStops) {
  settings set = with_stops({{"link.intra.topology", "mesh"}, {"link.intra.dimensions", "1x7"}});
  EXPECT_EQ(good("simics-4x2", set).inside.chips[0].ways.route[0][4].size(), 4U);
  for (const char* wrong : {"2x2", "4", "64x64", "2x", "many"}) {
    set["link.intra.dimensions"] = wrong;
    EXPECT_TRUE(contains(message_of("simics-4x2", set), "does not make 5 to 128 stops")) << wrong;
  }
}

TEST(ReadInside, InAFullNetworkEveryWayIsOneHop) {
  const settings set = with_stops({{"link.intra.topology", "full"}});
  const network_config ways = good("simics-4x2", set).inside.chips[0].ways;
  EXPECT_EQ(ways.links.size(), 20U);
  EXPECT_EQ(ways.route[1][4].size(), 1U);
}

TEST(ReadInside, AStatedLocalLatencyHoldsTheWayInsideTheChip) {
  // Whatever a hop costs, a read that misses takes the stated time on average over cores and banks.
  const settings set = with_stops({{"link.intra.latency", "2 cycles"}});
  const machine_config machine = good("xeon32", set);
  double stall = quiet_way(machine) + machine.memory.row_closed + machine.memory.burst +
                 machine.memory.controller;
  for (std::size_t level = 1; level < machine.caches.size(); ++level) {
    stall += machine.caches[level].latency;
  }
  EXPECT_NEAR(stall / machine.core.hertz * 1e9, 80, 1.0);
  EXPECT_GT(quiet_way(machine), quiet_way(good("xeon32", with_stops())));
}

TEST(ReadInside, TheQuietWayIsTheAverageOverCoresAndBanks) {
  // Stops 0 to 4: core, bank, core, bank, gate. Hops from core 0: 1 and 2; from core 1 (stop 2): 1
  // and 1; from the banks to the gate: 2 and 1. There and back, and a cycle for each half of the
  // way of the line.
  const double to_banks = (1 + 2 + 1 + 1) / 4.0;
  const double to_gate = (2 + 1) / 2.0;
  EXPECT_DOUBLE_EQ(quiet_way(good("simics-4x2", with_stops())), 2 * (to_banks + to_gate) + 2);
  EXPECT_DOUBLE_EQ(quiet_way(good("simics-4x2")), 2);
}

TEST(ReadInside, WhatCannotBeSimulatedIsRefused) {
  EXPECT_TRUE(contains(message_of("numa:2 l1:1 core:1 pu:1", with_stops()),
                       "link.intra.model 'stops' needs a cache between the cores and the gate"));
  EXPECT_TRUE(contains(message_of("simics-4x2", with_stops({{"cache.l2.banks", "65"}})),
                       "cache.l2.banks is more than 64"));
  EXPECT_TRUE(contains(message_of("simics-4x2", with_stops({{"cache.l2.busy", "2000 cycles"}})),
                       "cache.l2.busy is more than 1024 cycles"));
  EXPECT_TRUE(
      contains(message_of("simics-4x2", with_stops({{"link.intra.bandwidth", "0.01 B/cycle"}})),
               "link.intra.bandwidth is so low that a message takes more than 4096 cycles"));
  EXPECT_TRUE(contains(message_of("numa:1 l2:1 core:128 l1:1 pu:1", with_stops()),
                       "a chip has 130 stops, at most 128 can be simulated"));
  EXPECT_TRUE(contains(message_of("simics-4x2", with_stops({{"link.intra.topology", "matrix"}})),
                       "link.intra.topology"));
}

}  // namespace
}  // namespace numatch::sim
