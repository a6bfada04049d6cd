// SPDX-License-Identifier: Apache-2.0
#include "sim/read_config.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/expect_text.hpp"
#include "topology/machine_folders.hpp"
#include "topology/set_facts.hpp"

namespace numatch::sim {
namespace {

using settings = std::map<std::string, std::string>;

result<machine_config> config_of(const std::string& spec, const settings& set = {}) {
  const result<topology> machine = topology::load(spec);
  if (!machine) return tl::unexpected(machine.error());
  const result<topology> changed = set_facts(*machine, set);
  if (!changed) return tl::unexpected(changed.error());
  return read_config(*changed);
}

machine_config good(const std::string& spec, const settings& set = {}) {
  result<machine_config> config = config_of(spec, set);
  EXPECT_TRUE(config) << spec << ": " << (config ? "" : config.error().message());
  return config ? *config : machine_config{};
}

std::string message_of(const std::string& spec, const settings& set = {}) {
  const result<machine_config> config = config_of(spec, set);
  return config ? "no error" : config.error().message();
}

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
  EXPECT_EQ(machine.network.intra_latency, 1U);
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
  EXPECT_EQ(bare.network.intra_latency, papers.network.intra_latency);
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

}  // namespace
}  // namespace numatch::sim
