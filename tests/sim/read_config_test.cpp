// SPDX-License-Identifier: Apache-2.0
#include "sim/read_config.hpp"

#include <algorithm>

#include "sim/read_configs.hpp"
#include "support/expect_text.hpp"
#include "topology/description_schema.hpp"
#include "topology/machine_folders.hpp"

namespace numatch::sim {
namespace {

TEST(ReadConfig, TheSimulatedMachineOfThePapersIsWhatTheirTablesSay) {
  const machine_config machine = good("simics-4x2");
  EXPECT_EQ(machine.name, "simics-4x2");
  EXPECT_EQ(machine.core.hertz, 2e9);
  EXPECT_EQ(machine.core.overlap, 1U);
  EXPECT_EQ(machine.node_of_pu, (std::vector<unsigned>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(machine.nodes, 4U);
  EXPECT_EQ(machine.chips(), 4U);
  EXPECT_EQ(machine.cores.count, 8U);
  ASSERT_EQ(machine.caches.size(), 2U);
  EXPECT_EQ(machine.caches[0].bytes, 16U << 10U);
  EXPECT_EQ(machine.caches[0].sets(machine.line_bytes), 64U);
  EXPECT_EQ(machine.caches[0].shared.count, 8U);
  EXPECT_EQ(machine.caches[0].latency, 2U);
  EXPECT_EQ(machine.caches[1].bytes, 1U << 20U);
  EXPECT_EQ(machine.caches[1].latency, 5U);
  EXPECT_EQ(machine.caches[1].banks, 2U);
  EXPECT_EQ(machine.caches[1].shared.group, (std::vector<unsigned>{0, 0, 1, 1, 2, 2, 3, 3}));
  ASSERT_EQ(machine.tlbs.size(), 1U);
  EXPECT_EQ(machine.tlbs[0].entries, 64U);
  EXPECT_EQ(machine.tlbs[0].ways, 4U);
  EXPECT_EQ(machine.tlbs[0].shared.count, 8U);
  EXPECT_EQ(machine.page_bytes, 4096U);
  EXPECT_EQ(machine.os.page_walk, 30U);
  EXPECT_EQ(machine.network.links.size(), 8U);
  EXPECT_EQ(machine.network.links[0].latency, 40U);
  EXPECT_EQ(machine.network.links[0].bytes_per_cycle, 16);
  EXPECT_EQ(machine.inside.hop, 1U);
  EXPECT_EQ(machine.network.control_bytes, 8U);
  EXPECT_EQ(machine.network.data_bytes, 72U);
}

TEST(ReadConfig, DramTimingIsInProcessorCycles) {
  // 9 clocks of 1333 MT/s are 13.5 ns, 27 cycles at 2 GHz; 8 transfers are 6 ns.
  const memory_config memory = good("simics-4x2").memory;
  EXPECT_EQ(memory.row_hit, 27U);
  EXPECT_EQ(memory.row_closed, 54U);
  EXPECT_EQ(memory.row_conflict, 81U);
  EXPECT_EQ(memory.burst, 12U);
  EXPECT_EQ(memory.channels, 1U);
  EXPECT_EQ(memory.banks, 16U);
  EXPECT_EQ(memory.row_bytes, 8192U);
}

TEST(ReadConfig, EveryMachineOfTheFolderHasOne) {
  for (const std::string& name : machine_names()) {
    const machine_config machine = good(name);
    EXPECT_EQ(machine.name, name);
    EXPECT_GT(machine.chips(), 1U) << name;
    EXPECT_GT(machine.energy.instruction, 0) << name;
  }
}

TEST(ReadConfig, AMachineWithoutADescriptionIsFilledUpWithTheNumbersOfThePapersMachine) {
  const machine_config bare = good("numa:4 core:2 pu:1");
  const machine_config papers = good("simics-4x2");
  EXPECT_EQ(bare.core.hertz, papers.core.hertz);
  ASSERT_EQ(bare.caches.size(), papers.caches.size());
  for (std::size_t i = 0; i < bare.caches.size(); ++i) {
    EXPECT_EQ(bare.caches[i].bytes, papers.caches[i].bytes);
    EXPECT_EQ(bare.caches[i].ways, papers.caches[i].ways);
    EXPECT_EQ(bare.caches[i].latency, papers.caches[i].latency);
    EXPECT_EQ(bare.caches[i].inclusive, papers.caches[i].inclusive);
    EXPECT_EQ(bare.caches[i].shared.group, papers.caches[i].shared.group);
  }
  ASSERT_EQ(bare.network.links.size(), papers.network.links.size());
  EXPECT_EQ(bare.network.links[3].latency, papers.network.links[3].latency);
  EXPECT_EQ(bare.network.route, papers.network.route);
  EXPECT_EQ(bare.inside.hop, papers.inside.hop);
  EXPECT_EQ(bare.memory.row_conflict, papers.memory.row_conflict);
  EXPECT_EQ(bare.memory.banks, papers.memory.banks);
  EXPECT_EQ(bare.memory.row_bytes, papers.memory.row_bytes);
  EXPECT_EQ(bare.os.page_walk, papers.os.page_walk);
  EXPECT_EQ(bare.os.time_slice, papers.os.time_slice);
  EXPECT_EQ(bare.os.thread_move, papers.os.thread_move);
  EXPECT_EQ(bare.energy.instruction, papers.energy.instruction);
  EXPECT_EQ(bare.energy.cache_access, papers.energy.cache_access);
  EXPECT_EQ(bare.energy.cache_watt, papers.energy.cache_watt);
  EXPECT_DOUBLE_EQ(bare.energy.link_byte, papers.energy.link_byte);
  EXPECT_EQ(bare.energy.memory_activate, papers.energy.memory_activate);
  EXPECT_EQ(bare.energy.memory_read, papers.energy.memory_read);
  EXPECT_EQ(bare.energy.memory_watt, papers.energy.memory_watt);
}

TEST(ReadConfig, CoresAreTheSmtSiblings) {
  const machine_config machine = good("xeon64");
  EXPECT_EQ(machine.pus(), 64U);
  EXPECT_EQ(machine.cores.count, 32U);
  EXPECT_EQ(machine.cores.group[0], machine.cores.group[1]);
  EXPECT_NE(machine.cores.group[1], machine.cores.group[2]);
  EXPECT_EQ(machine.caches[0].shared.count, 32U);
  EXPECT_EQ(machine.chips(), 4U);
}

TEST(ReadConfig, TlbsBelongToCoresOrToHardwareThreads) {
  const machine_config shared = good("xeon32");
  ASSERT_EQ(shared.tlbs.size(), 2U);
  EXPECT_EQ(shared.tlbs[1].entries, 512U);
  EXPECT_EQ(shared.tlbs[1].latency, 7U);
  EXPECT_EQ(shared.tlbs[0].shared.count, 16U);
  const machine_config own = good("xeon32", {{"tlb.l1.shared_by", "pu"}});
  EXPECT_EQ(own.tlbs[0].shared.count, 32U);
  EXPECT_EQ(own.tlbs[1].shared.count, 16U);
}

TEST(ReadConfig, XeonCachesAddWhatLoadToUseTakesBeyondTheLevelAbove) {
  const machine_config machine = good("xeon32");
  EXPECT_EQ(machine.caches[0].latency + machine.caches[1].latency, 12U);
  EXPECT_EQ(machine.caches[0].latency + machine.caches[1].latency + machine.caches[2].latency, 28U);
  EXPECT_FALSE(machine.caches[1].inclusive);
  EXPECT_EQ(machine.caches[2].sets(machine.line_bytes), 16384U);
}

TEST(ReadConfig, TimesInNanosecondsAreRoundedToCycles) {
  // 3.3 ns at 2 GHz are 6.6 cycles.
  EXPECT_EQ(good("simics-4x2", {{"cache.l2.latency", "3.3 ns"}}).caches[1].latency, 7U);
  EXPECT_EQ(good("simics-4x2", {{"os.page_fault", "2 us"}}).os.page_fault, 4000U);
  EXPECT_EQ(good("simics-4x2").os.time_slice, 8'000'000U);
  EXPECT_EQ(good("simics-4x2", {{"processor.frequency", "500 MHz"}}).os.time_slice, 2'000'000U);
}

TEST(ReadConfig, AllCostsOfTheOperatingSystemCanBeSet) {
  const os_config os = good("simics-4x2", {{"tlb.walk", "1 cycles"},
                                           {"os.page_fault", "2 cycles"},
                                           {"os.induced_fault", "3 cycles"},
                                           {"os.page_move", "4 cycles"},
                                           {"os.shootdown", "5 cycles"},
                                           {"os.thread_move", "6 cycles"},
                                           {"os.context_switch", "7 cycles"},
                                           {"os.time_slice", "8 cycles"},
                                           {"os.map_threads", "9 cycles"},
                                           {"os.scan_page", "10 cycles"},
                                           {"os.take_sample", "0 cycles"}})
                           .os;
  EXPECT_EQ(os.page_walk, 1U);
  EXPECT_EQ(os.page_fault, 2U);
  EXPECT_EQ(os.induced_fault, 3U);
  EXPECT_EQ(os.page_move, 4U);
  EXPECT_EQ(os.shootdown, 5U);
  EXPECT_EQ(os.thread_move, 6U);
  EXPECT_EQ(os.context_switch, 7U);
  EXPECT_EQ(os.time_slice, 8U);
  EXPECT_EQ(os.map_threads, 9U);
  EXPECT_EQ(os.scan_page, 10U);
  EXPECT_EQ(os.take_sample, 0U);
}

TEST(ReadConfig, MissesCanOverlap) {
  const core_config core = good("simics-4x2", {{"core.access_stall", "1 cycles"},
                                               {"core.overlap", "4"},
                                               {"core.overlap_window", "64"}})
                               .core;
  EXPECT_EQ(core.access_stall, 1U);
  EXPECT_EQ(core.overlap, 4U);
  EXPECT_EQ(core.overlap_window, 64U);
}

TEST(ReadConfig, EnergyIsInNanojouleAndWatt) {
  const energy_config energy = good("simics-4x2", {{"energy.core.instruction", "250 pJ"},
                                                   {"energy.cache.l2.access", "0.5 nJ"},
                                                   {"energy.cache.l2.static", "250 mW"},
                                                   {"energy.link.transfer", "5 pJ/bit"},
                                                   {"energy.memory.static", "2 W"}})
                                   .energy;
  EXPECT_DOUBLE_EQ(energy.instruction, 0.25);
  ASSERT_EQ(energy.cache_access.size(), 2U);
  EXPECT_DOUBLE_EQ(energy.cache_access[1], 0.5);
  EXPECT_DOUBLE_EQ(energy.cache_watt[1], 0.25);
  EXPECT_DOUBLE_EQ(energy.link_byte, 0.04);
  EXPECT_DOUBLE_EQ(energy.memory_watt, 2);
  EXPECT_DOUBLE_EQ(good("simics-4x2", {{"energy.link.transfer", "0.1 nJ/B"}}).energy.link_byte,
                   0.1);
}

TEST(ReadConfig, APlainProgramTakesAboutThe3Point7NanojoulePerInstructionOfSammu) {
  // All PUs busy with 1.5 cycles per instruction, 0.4 accesses per instruction, 3 misses of the
  // last level per 1000 instructions, each a row that is opened and a line that is read.
  for (const char* name : {"simics-4x2", "xeon32"}) {
    const machine_config machine = good(name);
    const energy_config& energy = machine.energy;
    double watt = energy.core_watt * machine.cores.count +
                  energy.link_watt * static_cast<double>(machine.network.links.size()) +
                  energy.memory_watt * machine.nodes;
    for (std::size_t level = 0; level < machine.caches.size(); ++level) {
      watt += energy.cache_watt[level] * machine.caches[level].shared.count;
    }
    const double per_second = static_cast<double>(machine.pus()) * machine.core.hertz / 1.5;
    const double nanojoule =
        energy.instruction + 0.4 * energy.cache_access[0] + 0.02 * energy.cache_access[1] +
        0.003 * (energy.memory_activate + energy.memory_read) + watt / per_second * 1e9;
    EXPECT_GT(nanojoule, 2.1) << name;  // SAMMU's least, BT
    EXPECT_LT(nanojoule, 5) << name;
  }
}

TEST(ReadConfig, NehalemsLocalMemoryComesNearWhatThePaperStates) {
  const machine_config machine = good("nehalem-2x4");
  unsigned cycles = machine.memory.row_closed + machine.memory.burst;
  for (std::size_t level = 1; level < machine.caches.size(); ++level) {
    cycles += machine.caches[level].latency;
  }
  EXPECT_NEAR(cycles / 2.4, 48, 0.5);  // ns; the paper has 50
}

TEST(ReadConfig, ALevelThatTheTreeDoesNotHaveIsRefused) {
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"cache.l3.size", "8 MiB"}}),
                       "cache.l3 is described, but the machine has no L3; say in tree.hwloc"));
}

TEST(ReadConfig, LinesHaveOneSize) {
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"cache.l2.line", "128 B"}}),
                       "cache.l2.line is not 64 B as in the first level"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"cache.l1.line", "48 B"}}),
                       "a line of 48 B is not a power of two"));
  const machine_config wide = good("numa:2 core:2 pu:1", {{"cache.l1.line", "128 B"}});
  EXPECT_EQ(wide.line_bytes, 128U);
  EXPECT_EQ(wide.network.data_bytes, 136U);
  EXPECT_EQ(wide.memory.burst, 24U);
}

TEST(ReadConfig, WhatAPersonSetsCounts) {
  const machine_config machine = good(
      "simics-4x2",
      {{"cache.l2.size", "2 MiB"}, {"link.inter.latency", "70 cycles"}, {"page.size", "1KiB"}});
  EXPECT_EQ(machine.caches[1].bytes, 2U << 20U);
  EXPECT_EQ(machine.network.links[5].latency, 70U);
  EXPECT_EQ(machine.page_bytes, 1024U);
}

TEST(ReadConfig, ACacheMustBeAWholeNumberOfSets) {
  EXPECT_TRUE(
      contains(message_of("simics-4x2", {{"cache.l2.size", "1000 KiB"}, {"cache.l2.ways", "7"}}),
               "simics-4x2: cache.l2.size of 1024000 B is not a whole number of sets"));
}

TEST(ReadConfig, TlbEntriesMustFillTheirWays) {
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"tlb.l1.entries", "66"}}),
                       "simics-4x2: tlb.l1.entries: 66 is not a whole number of sets of 4 ways"));
}

TEST(ReadConfig, PagesArePowersOfTwoFrom1KibTo2Mib) {
  for (const char* wrong : {"512 B", "3 KiB", "4 MiB"}) {
    EXPECT_TRUE(contains(message_of("simics-4x2", {{"page.size", wrong}}),
                         "is not a power of two from 1 KiB to 2 MiB"))
        << wrong;
  }
  EXPECT_EQ(good("simics-4x2", {{"page.size", "2 MiB"}}).page_bytes, 2U << 20U);
}

TEST(ReadConfig, DramTimingHasThreeNumbers) {
  for (const char* wrong : {"9-9", "9-9-9-24", "9-x-9", "9-0-9", "9 9 9", "-9-9-9"}) {
    EXPECT_TRUE(contains(message_of("simics-4x2", {{"memory.timing", wrong}}),
                         "is not CL-tRCD-tRP in clocks; write it as '9-9-9'"))
        << wrong;
  }
}

TEST(ReadConfig, AStatedLocalLatencyIsWhatAReadOfAClosedRowStalls) {
  for (const char* name : {"xeon32", "xeon64", "opteron-8x4", "nehalem-2x4"}) {
    const result<topology> described = topology::load(name);
    ASSERT_TRUE(described);
    const machine_config machine = good(name);
    double stall = 2.0 * machine.inside.hop + machine.memory.row_closed + machine.memory.burst +
                   machine.memory.controller;
    for (std::size_t level = 1; level < machine.caches.size(); ++level) {
      stall += machine.caches[level].latency;
    }
    for (const topology::fact& fact : described->facts()) {
      if (fact.key != "memory.local_latency") continue;
      EXPECT_NEAR(stall / machine.core.hertz * 1e9, std::stod(fact.value), 1.0) << name;
    }
  }
}

TEST(ReadConfig, RowsArePowersOfTwo) {
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"memory.row", "6000 B"}}),
                       "memory.row of 6000 B is not a power of two"));
}

TEST(ReadConfig, WhatIsBeyondAnyMachineIsRefused) {
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"os.page_fault", "900 ms"}}),
                       "os.page_fault of 1.8e+09 cycles is more than 1e+08"));
  EXPECT_TRUE(
      contains(message_of("simics-4x2", {{"memory.banks", "65536"}, {"memory.ranks", "65536"}}),
               "memory.banks x memory.ranks is more than 4096"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"memory.channels", "65"}}),
                       "memory.channels is more than 64"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"memory.transfers", "1 MT/s"}}),
                       "memory.timing and memory.transfers make"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"link.inter.bandwidth", "0.01 B/cycle"}}),
                       "a message takes more than 4096 cycles"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"tlb.l1.entries", "65540"}}),
                       "tlb.l1.entries is more than 65536"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"cache.l2.ways", "2048"}}),
                       "cache.l2.ways is more than 1024"));
  EXPECT_TRUE(contains(message_of("simics-4x2", {{"cache.l2.size", "8 GiB"}}),
                       "cache.l2.size is more than 4 GiB"));
  EXPECT_TRUE(contains(message_of("numa:32 core:1 pu:1", {{"cache.l2.size", "4 GiB"}}),
                       "at most 268435456 can be simulated"));
}

TEST(ReadConfig, TheLastLevelIsInclusiveUnlessStated) {
  EXPECT_TRUE(good("simics-4x2").caches.back().inclusive);
  EXPECT_FALSE(good("simics-4x2", {{"cache.l2.inclusive", "no"}}).caches.back().inclusive);
}

TEST(ReadConfig, WordsOfQueueingAndRowsAreRead) {
  const machine_config machine =
      good("simics-4x2",
           {{"link.queueing", "no"}, {"memory.queueing", "no"}, {"memory.open_rows", "no"}});
  EXPECT_FALSE(machine.network.queueing);
  EXPECT_FALSE(machine.memory.queueing);
  EXPECT_FALSE(machine.memory.open_rows);
}

TEST(ReadConfig, EveryKeyIsTakenOrRefusedInOneLineWhateverItsNumber) {
  const topology machine = *topology::load("xeon64");
  for (const known_fact& fact : known_facts()) {
    if (fact.kind != fact_kind::count && fact.kind != fact_kind::quantity) continue;
    for (const char* number : {"0", "1e-9", "1", "3", "1e9"}) {
      for (std::size_t u = 0; u < std::max<std::size_t>(1, fact.units.size()); ++u) {
        const std::string unit = fact.units.empty() ? "" : std::string(fact.units[u]);
        const result<topology> set =
            set_facts(machine, {{std::string(fact.key), std::string(number) + " " + unit}});
        if (!set) continue;
        const result<machine_config> config = read_config(*set);
        const std::string message = config ? "" : config.error().message();
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        if (!config) continue;
        EXPECT_GT(config->memory.row_hit, 0U) << fact.key << " " << number << unit;
        EXPECT_GT(config->memory.burst, 0U) << fact.key << " " << number << unit;
        for (const cache_config& cache : config->caches) {
          EXPECT_GT(cache.sets(config->line_bytes), 0U) << fact.key << " " << number << unit;
        }
      }
    }
  }
}

TEST(ReadConfig, MachinesHaveALimit) {
  EXPECT_TRUE(contains(message_of("numa:4 core:512 pu:1"),
                       "the machine has 2048 PUs, at most 1024 can be simulated"));
  EXPECT_TRUE(contains(message_of("numa:65 core:1 pu:1"),
                       "the machine has 65 nodes, at most 64 can be simulated"));
  EXPECT_TRUE(contains(message_of("numa:2 core:64 l1:1 pu:1"),
                       "128 chips (last-level caches), at most 64 can be simulated"));
  EXPECT_EQ(good("numa:64 core:16 pu:1").pus(), 1024U);
}

TEST(ReadConfig, AMachineWithThreeLevelsGetsSizesForAll) {
  const machine_config machine = good("numa:2 l3:1 l2:2 l1:1 core:1 pu:1");
  ASSERT_EQ(machine.caches.size(), 3U);
  EXPECT_EQ(machine.caches[1].bytes, 256U << 10U);
  EXPECT_EQ(machine.caches[2].bytes, 8U << 20U);
  EXPECT_EQ(machine.energy.cache_access.size(), 3U);
}

}  // namespace
}  // namespace numatch::sim
