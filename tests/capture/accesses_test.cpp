// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "recorded.hpp"

namespace numatch::capture {
namespace {

class shapes : public testing::TestWithParam<const char*> {};

TEST_P(shapes, loads_and_stores_of_a_loop_are_counted_once_each) {
  const recorded run(GetParam());
  ASSERT_EQ(run.end().code, 0) << run.end().err;
  const tally loads = run.total("loads");
  EXPECT_EQ(loads.reads, 1000U);
  EXPECT_EQ(loads.writes, 0U);
  EXPECT_EQ(loads.read_bytes, 8000U);
  const tally stores = run.total("stores");
  EXPECT_EQ(stores.reads, 0U);
  EXPECT_EQ(stores.writes, 1000U);
  EXPECT_EQ(stores.written_bytes, 4000U);
}

TEST_P(shapes, read_modify_write_is_one_load_and_one_store) {
  const recorded run(GetParam());
  const tally both = run.total("both");
  EXPECT_EQ(both.reads, 100U);
  EXPECT_EQ(both.writes, 100U);
  const tally added = run.total("added");
  EXPECT_EQ(added.reads, 1U);
  EXPECT_EQ(added.writes, 1U);
}

TEST_P(shapes, a_repeated_move_is_one_access_per_element) {
  const recorded run(GetParam());
  EXPECT_EQ(run.total("rep from").reads, 100U);
  EXPECT_EQ(run.total("rep from").writes, 0U);
  EXPECT_EQ(run.total("rep to").writes, 100U);
  EXPECT_EQ(run.total("rep to").reads, 0U);
}

TEST_P(shapes, every_byte_of_a_wide_access_is_there_whatever_its_pieces) {
  const recorded run(GetParam());
  EXPECT_EQ(run.total("sse").read_bytes, 16U);
  EXPECT_EQ(run.total("sse").writes, 0U);
  EXPECT_EQ(run.total("avx").read_bytes, 32U);
  EXPECT_EQ(run.total("exchanged").read_bytes, 16U);
  EXPECT_EQ(run.total("exchanged").written_bytes, 16U);
}

// QEMU 7.2 reports 8 + 2 bytes each way; 10.x reports nothing of the x87 unit.
TEST_P(shapes, x87_accesses_are_whole_or_absent) {
  const recorded run(GetParam());
  const tally x87 = run.total("x87");
  EXPECT_EQ(x87.read_bytes, x87.written_bytes);
  EXPECT_TRUE(x87.read_bytes == 10 || x87.read_bytes == 0) << x87.read_bytes;
}

INSTANTIATE_TEST_SUITE_P(dynamic_and_static, shapes, testing::Values("shapes", "shapes_static"));

TEST(accesses, carry_the_address_of_their_instruction) {
  const recorded run("shapes");
  const seen_event loads = run.label("loads");
  std::map<std::uint64_t, std::uint64_t> by_pc;
  trace::access_cursor cursor = run.trace().accesses_of(thread_id(0));
  for (;;) {
    const result<trace::block> next = cursor.next();
    ASSERT_TRUE(next);
    if (next->accesses.empty()) break;
    for (const trace::access& a : next->accesses) {
      const std::uint64_t offset = a.address - loads.event.args[0];
      if (offset < loads.event.args[1]) ++by_pc[a.pc];
    }
  }
  ASSERT_EQ(by_pc.size(), 1U);
  bool in_program = false;
  for (const seen_event& m : run.events(trace::event_kind::module)) {
    const std::uint64_t offset = by_pc.begin()->first - m.event.args[0];
    const bool executable = (m.event.args[3] & 4) != 0;
    in_program |= offset < m.event.args[1] && executable && m.text.ends_with("/shapes");
  }
  EXPECT_TRUE(in_program) << std::hex << by_pc.begin()->first;
}

TEST(accesses, come_with_instruction_counts_of_every_thread) {
  const recorded run("threads");
  ASSERT_EQ(run.trace().threads().size(), 241U);
  for (const trace::thread_info& thread : run.trace().threads()) {
    EXPECT_GT(thread.instructions, thread.accesses / 2) << thread.id.value;
    EXPECT_LT(thread.instructions, 20 * thread.accesses) << thread.id.value;
  }
}

TEST(accesses, through_the_tlb_filter_miss_once_per_cold_page) {
  const recorded run("shapes", {}, {"--filter", "tlb", "--tlb-entries", "1024", "--tlb-ways", "4"});
  ASSERT_TRUE(run.has_trace());
  EXPECT_TRUE(run.trace().tlb_filtered());
  std::map<std::uint64_t, int> misses;
  trace::access_cursor cursor = run.trace().accesses_of(thread_id(0));
  for (;;) {
    const result<std::span<const trace::tlb_record>> next = cursor.next_tlb();
    ASSERT_TRUE(next);
    if (next->empty()) break;
    for (const trace::tlb_record& r : *next) ++misses[r.missed_page];
  }
  EXPECT_EQ(misses[run.label("loads").event.args[0] / 4096], 1);
  EXPECT_GT(run.trace().accesses(), 3000U);
}

}  // namespace
}  // namespace numatch::capture
