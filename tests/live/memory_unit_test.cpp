// SPDX-License-Identifier: Apache-2.0
#include "live/memory_unit.hpp"

#include <gtest/gtest.h>

#include "live/system_trees.hpp"

namespace numatch::live {
namespace {

std::string unit_file(const std::string& unit, const std::string& file) {
  return "/sys/bus/event_source/devices/" + unit + "/" + file;
}

/// The files of a unit of Intel's as Linux writes them.
void add_core(tree_files& files, const std::string& unit, const std::string& type) {
  files[unit_file(unit, "type")] = type + "\n";
  files[unit_file(unit, "events/mem-loads")] = "event=0xcd,umask=0x1,ldlat=3\n";
  files[unit_file(unit, "events/mem-stores")] = "event=0xd0,umask=0x82\n";
  files[unit_file(unit, "format/event")] = "config:0-7\n";
  files[unit_file(unit, "format/umask")] = "config:8-15\n";
  files[unit_file(unit, "format/ldlat")] = "config1:0-15\n";
}

std::vector<memory_unit> units_in(const tree_files& files) {
  const written_tree tree(files);
  return memory_units(system_tree(tree.root()));
}

TEST(MemoryUnit, OfIntelLoadsAndStores) {
  tree_files files;
  add_core(files, "cpu", "4");
  files[unit_file("uncore_imc_0", "type")] = "20\n";
  const std::vector<memory_unit> units = units_in(files);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].by, memory_unit::maker::pebs);
  EXPECT_EQ(units[0].name, "cpu");
  EXPECT_EQ(units[0].type, 4U);
  ASSERT_EQ(units[0].events.size(), 2U);
  EXPECT_EQ(units[0].events[0].config, 0x1cdU);
  EXPECT_EQ(units[0].events[0].config1, 3U);
  EXPECT_EQ(units[0].events[1].config, 0x82d0U);
  EXPECT_FALSE(units[0].leader);
  EXPECT_TRUE(units[0].leaves_kernel_out);
}

TEST(MemoryUnit, OfTwoKindsOfCoresEachWithItsLeader) {
  tree_files files;
  add_core(files, "cpu_core", "4");
  add_core(files, "cpu_atom", "10");
  files[unit_file("cpu_core", "events/mem-loads-aux")] = "event=0x03,umask=0x82\n";
  const std::vector<memory_unit> units = units_in(files);
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].name, "cpu_atom");
  EXPECT_FALSE(units[0].leader);
  EXPECT_EQ(units[1].name, "cpu_core");
  ASSERT_TRUE(units[1].leader);
  EXPECT_EQ(units[1].leader->config, 0x8203U);
}

TEST(MemoryUnit, OfAmdCountsOperationsAndLeavesTheKernelOutWhereItCan) {
  tree_files files;
  files[unit_file("ibs_op", "type")] = "11\n";
  files[unit_file("ibs_op", "format/cnt_ctl")] = "config:19\n";
  std::vector<memory_unit> units = units_in(files);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].by, memory_unit::maker::ibs);
  ASSERT_EQ(units[0].events.size(), 1U);
  EXPECT_EQ(units[0].events[0].config, 1U << 19U);
  EXPECT_FALSE(units[0].leaves_kernel_out);
  files[unit_file("ibs_op", "format/swfilt")] = "config2:0\n";
  units = units_in(files);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_TRUE(units[0].leaves_kernel_out);
  EXPECT_EQ(units[0].events[0].config2, 1U);
}

TEST(MemoryUnit, OfArmIsKnownButHasNoSamples) {
  tree_files files;
  files[unit_file("arm_spe_0", "type")] = "9\n";
  const std::vector<memory_unit> units = units_in(files);
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].by, memory_unit::maker::spe);
  EXPECT_TRUE(units[0].events.empty());
}

TEST(MemoryUnit, WhatIsDescribedWronglyIsLeftOut) {
  using described = std::pair<std::string, std::string>;
  for (const auto& [file, text] :
       std::vector<described>{{"events/mem-loads", "event=0xzz\n"},
                              {"events/mem-loads", "event=0xcd,unknown=1\n"},
                              {"format/event", "config:7-0\n"},
                              {"format/event", "config3:0-7\n"},
                              {"format/event", "config:0-99\n"},
                              {"format/event", "config:0-3\n"},
                              {"format/ldlat", "\n"},
                              {"type", "four\n"}}) {
    tree_files files;
    add_core(files, "cpu", "4");
    files[unit_file("cpu", file)] = text;
    EXPECT_TRUE(units_in(files).empty()) << file << ": " << text;
  }
  EXPECT_TRUE(units_in({}).empty());
}

TEST(MemoryUnit, ValuesMayBeSpreadOverSeveralRanges) {
  memory_event event;
  EXPECT_TRUE(encode(0xabc, "config:0-7,32-35", event));
  EXPECT_EQ(event.config, 0xa000000bcU);
  EXPECT_TRUE(encode(1, "config1:63", event));
  EXPECT_EQ(event.config1, std::uint64_t{1} << 63U);
}

}  // namespace
}  // namespace numatch::live
