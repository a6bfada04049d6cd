// SPDX-License-Identifier: Apache-2.0
#include "live/memory_events.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "live/memory_sample.hpp"
#include "live/page_fault_event.hpp"
#include "support/expect_text.hpp"

namespace numatch::live {
namespace {

memory_unit pebs() {
  memory_unit unit;
  unit.name = "cpu";
  unit.type = 4;
  unit.events = {{0x1cd, 3, 0}, {0x82d0, 0, 0}};
  return unit;
}

std::unique_ptr<sampled_events> events_of(memory_unit unit) {
  return memory_events({std::move(unit)});
}

/// The body of a sample: numbers of process and thread in one, then five more.
std::array<std::byte, 48> body_of(pid_t process, pid_t task, std::uint64_t address,
                                  std::uint64_t period) {
  const std::uint64_t who =
      static_cast<std::uint64_t>(task) << 32U | static_cast<std::uint64_t>(process);
  const std::array<std::uint64_t, 6> words{who, 77, address, period, 0, PERF_MEM_OP_STORE};
  std::array<std::byte, 48> bytes;
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

TEST(MemoryEvents, OfIntelAskForThePreciseAddressOfUserCode) {
  const std::vector<sampled_event> events = events_of(pebs())->events(false, true);
  ASSERT_EQ(events.size(), 2U);
  for (const sampled_event& event : events) {
    EXPECT_TRUE(event.leads);
    EXPECT_EQ(event.attributes.type, 4U);
    EXPECT_EQ(event.attributes.precise_ip, 2U);
    EXPECT_EQ(event.attributes.freq, 1U);
    EXPECT_EQ(event.attributes.exclude_kernel, 1U);
    EXPECT_EQ(event.attributes.inherit, 1U);
    EXPECT_EQ(event.attributes.sample_type, memory_sample_fields());
    EXPECT_EQ(event.attributes.task, 1U);
  }
  EXPECT_EQ(events[0].attributes.config1, 3U);
  EXPECT_EQ(events_of(pebs())->events(true, false)[0].attributes.exclude_kernel, 0U);
}

TEST(MemoryEvents, LoadsFollowTheEventThatMustLeadThem) {
  memory_unit unit = pebs();
  unit.leader = memory_event{0x8203, 0, 0};
  const std::vector<sampled_event> events = events_of(unit)->events(false, true);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_TRUE(events[0].leads);
  EXPECT_EQ(events[0].attributes.sample_freq, 0U);
  EXPECT_FALSE(events[1].leads);
  EXPECT_TRUE(events[2].leads);
}

TEST(MemoryEvents, OfAmdLeaveNothingOutWhereTheUnitCannot) {
  memory_unit unit;
  unit.by = memory_unit::maker::ibs;
  unit.leaves_kernel_out = false;
  unit.events = {{1U << 19U, 0, 0}};
  const std::vector<sampled_event> events = events_of(unit)->events(false, true);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].attributes.exclude_kernel, 0U);
  EXPECT_EQ(events[0].attributes.exclude_hv, 0U);
  EXPECT_EQ(events[0].attributes.precise_ip, 0U);
}

TEST(MemoryEvents, ASampleIsAUseThatStandsForItsPeriod) {
  const std::unique_ptr<sampled_events> events = events_of(pebs());
  const std::optional<sensed_use> use = events->use_of(body_of(10, 12, 0x5000, 300), 10);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->task, 12);
  EXPECT_EQ(use->address, 0x5000U);
  EXPECT_EQ(use->write, true);
  EXPECT_EQ(use->weight, 300);
  EXPECT_EQ(use->time, 77U);
  EXPECT_EQ(use->source, data_source::unknown);
}

TEST(MemoryEvents, AUseSaysWhereItsDataCameFrom) {
  perf_mem_data_src remote{};
  remote.mem_op = PERF_MEM_OP_LOAD & 0x1f;
  remote.mem_lvl_num = PERF_MEM_LVLNUM_RAM & 0xf;
  remote.mem_remote = 1;
  std::array<std::byte, 48> body = body_of(10, 12, 0x5000, 300);
  std::memcpy(body.data() + 40, &remote.val, sizeof remote.val);
  const std::optional<sensed_use> use = events_of(pebs())->use_of(body, 10);
  ASSERT_TRUE(use);
  EXPECT_EQ(use->source, data_source::remote_memory);
  EXPECT_EQ(use->write, false);
}

TEST(DataSource, SharesAreOfWhatIsKnown) {
  source_counts counts{};
  counts[0] = 100;
  EXPECT_EQ(known_shares(counts), source_counts{});
  counts[static_cast<std::size_t>(data_source::local_memory)] = 3;
  counts[static_cast<std::size_t>(data_source::remote_memory)] = 1;
  const source_counts shares = known_shares(counts);
  EXPECT_EQ(shares[0], 0);
  EXPECT_EQ(shares[static_cast<std::size_t>(data_source::local_memory)], 0.75);
  EXPECT_EQ(shares[static_cast<std::size_t>(data_source::remote_memory)], 0.25);
}

TEST(MemoryEvents, OthersTheKernelsAndUnknownMemoryAreNoUses) {
  const std::unique_ptr<sampled_events> events = events_of(pebs());
  EXPECT_FALSE(events->use_of(body_of(11, 12, 0x5000, 300), 10));
  EXPECT_FALSE(events->use_of(body_of(10, 12, 0, 300), 10));
  EXPECT_FALSE(events->use_of(body_of(10, 12, 0xffff888000000000, 300), 10));
  EXPECT_FALSE(events->use_of(std::span<const std::byte>(), 10));
}

TEST(MemoryEvents, ARefusalSaysWhatWouldHelp) {
  const std::unique_ptr<sampled_events> events = events_of(pebs());
  EXPECT_TRUE(contains(events->refusal(EACCES, 5).message(), "CAP_PERFMON"));
  EXPECT_TRUE(contains(events->refusal(EOPNOTSUPP, 5).message(), "unit cpu does not sample"));
}

availability probe_with(const system_facts& here) {
  for (const sensor_entry* entry : all_sensors()) {
    if (entry->name == "perf-mem") return entry->probe(here);
  }
  return {};
}

TEST(PerfMem, WorksWhereTheUnitAndTheRightsAreThere) {
  system_facts here;
  EXPECT_TRUE(contains(probe_with(here).reason, "samples no accesses"));
  here.memory_sampling = "cpu";
  here.perf_event_paranoid = 2;
  EXPECT_TRUE(probe_with(here).works);
  here.perf_event_paranoid = 3;
  EXPECT_EQ(probe_with(here).remedy, "sysctl kernel.perf_event_paranoid=2");
  here.memory_sampling = "ibs_op";
  EXPECT_EQ(probe_with(here).remedy, "CAP_PERFMON");
  here.may_sample_all = true;
  EXPECT_TRUE(probe_with(here).works);
  here.memory_sampling = "arm_spe_0";
  EXPECT_FALSE(probe_with(here).works);
}

}  // namespace
}  // namespace numatch::live
