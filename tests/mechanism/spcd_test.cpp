// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "fake_world.hpp"
#include "mechanism/spcd_table.hpp"

namespace numatch {
namespace {

using test::fake_world;
using test::make_mechanism;
using testing::IsSubstring;

constexpr std::uint64_t ms = 1'000'000;

void fault(mechanism& spcd, fake_world& where, std::uint32_t thread, std::uint64_t address) {
  spcd.on_page_fault({thread_id(thread), address, false, true}, where);
}

TEST(spcd, a_fault_is_one_event_with_each_other_thread_that_faulted_in_the_block) {
  fake_world where;
  const auto spcd = make_mechanism("spcd");
  fault(*spcd, where, 0, 0x1000);
  EXPECT_EQ(spcd->sharing().total(), 0);
  fault(*spcd, where, 1, 0x11ff);
  EXPECT_EQ(spcd->sharing().at(1, 0), 1);
  fault(*spcd, where, 2, 0x1080);
  const sharing_matrix sharing = spcd->sharing();
  EXPECT_EQ(sharing.at(2, 0), 1);
  EXPECT_EQ(sharing.at(2, 1), 1);
  EXPECT_EQ(sharing.total(), 3);
}

TEST(spcd, blocks_of_512_bytes_tell_neighbours_on_one_page_apart) {
  fake_world where;
  const auto spcd = make_mechanism("spcd");
  fault(*spcd, where, 0, 0x1000);
  fault(*spcd, where, 1, 0x1200);
  EXPECT_EQ(spcd->sharing().total(), 0);
  const auto by_page = make_mechanism("spcd", {{"block-size", "4096"}});
  fault(*by_page, where, 0, 0x1000);
  fault(*by_page, where, 1, 0x1200);
  EXPECT_EQ(by_page->sharing().total(), 1);
}

TEST(spcd, an_entry_remembers_the_last_two_threads) {
  fake_world where;
  const auto spcd = make_mechanism("spcd");
  for (const std::uint32_t thread : {0u, 1u, 2u, 3u}) fault(*spcd, where, thread, 0x1000);
  const sharing_matrix sharing = spcd->sharing();
  EXPECT_EQ(sharing.at(3, 2), 1);
  EXPECT_EQ(sharing.at(3, 1), 1);
  EXPECT_EQ(sharing.at(3, 0), 0);
}

TEST(spcd, a_thread_meets_neither_itself_nor_takes_two_places) {
  fake_world where;
  const auto spcd = make_mechanism("spcd");
  for (const std::uint32_t thread : {0u, 1u, 1u, 1u, 2u}) fault(*spcd, where, thread, 0x1000);
  const sharing_matrix sharing = spcd->sharing();
  EXPECT_EQ(sharing.at(1, 0), 3);
  EXPECT_EQ(sharing.at(2, 1), 1);
  EXPECT_EQ(sharing.at(2, 0), 1);
}

TEST(spcd, threads_meet_within_the_window) {
  fake_world where;
  const auto spcd = make_mechanism("spcd", {{"window", "5"}});
  fault(*spcd, where, 0, 0x1000);
  where.time = {5 * ms};
  fault(*spcd, where, 1, 0x1000);
  EXPECT_EQ(spcd->sharing().at(1, 0), 1);
  where.time = {5 * ms + 1};
  fault(*spcd, where, 2, 0x1000);
  EXPECT_EQ(spcd->sharing().at(2, 0), 0);
  EXPECT_EQ(spcd->sharing().at(2, 1), 1);
}

/// Two blocks whose entries are the same in a table of two.
std::pair<std::uint64_t, std::uint64_t> colliding_blocks() {
  const spcd::fault_table table({.entries = 2});
  std::uint64_t other = 2;
  while (table.entry_of(other) != table.entry_of(1)) ++other;
  return {1, other};
}

TEST(spcd, a_block_overwrites_the_entry_of_another_one) {
  const auto [first, second] = colliding_blocks();
  spcd::fault_table table({.entries = 2});
  table.note(first, thread_id(0), {});
  EXPECT_TRUE(table.note(second, thread_id(1), {}).empty());
  EXPECT_TRUE(table.note(first, thread_id(2), {}).empty());
  ASSERT_EQ(table.note(first, thread_id(3), {}).size(), 1u);
}

TEST(spcd, or_is_not_seen_where_entries_are_kept) {
  const auto [first, second] = colliding_blocks();
  spcd::fault_table table({.entries = 2, .overwrite = false});
  table.note(first, thread_id(0), {});
  EXPECT_TRUE(table.note(second, thread_id(1), {}).empty());
  EXPECT_TRUE(table.note(second, thread_id(2), {}).empty());
  const std::span<const thread_id> met = table.note(first, thread_id(3), {});
  ASSERT_EQ(met.size(), 1u);
  EXPECT_EQ(met[0], thread_id(0));
}

TEST(spcd, every_entry_of_the_table_can_be_used) {
  const spcd::fault_table table({.entries = 8});
  std::set<std::uint64_t> seen;
  for (std::uint64_t block = 0; block < 100; ++block) seen.insert(table.entry_of(block));
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_LT(*seen.rbegin(), 8u);
}

TEST(spcd, a_fault_touches_its_entry_and_one_matrix_cell_per_thread_it_meets) {
  fake_world where;
  const auto spcd = make_mechanism("spcd");
  fault(*spcd, where, 0, 0x1000);
  ASSERT_EQ(where.touches.size(), 1u);
  EXPECT_TRUE(where.touches[0].write);
  EXPECT_EQ(where.touches[0].bytes, 16u);
  fault(*spcd, where, 1, 0x1000);
  ASSERT_EQ(where.touches.size(), 3u);
  EXPECT_EQ(where.touches[1].offset, where.touches[0].offset);
  EXPECT_EQ(where.touches[2].table, 1u);
}

class spcd_on_four_nodes : public testing::Test {
 protected:
  spcd_on_four_nodes() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
    for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t % 2 * 4 + t / 2;
  }
  /// Pairs (0, 1), (2, 3), ... that start on different nodes fault in one block each.
  void run_pairs(mechanism& spcd) {
    spcd.on_begin(where);
    for (std::uint32_t t = 0; t < 8; ++t) spcd.on_thread_start(thread_id(t), where);
    for (int round = 0; round < 5; ++round) {
      for (std::uint32_t t = 0; t < 8; ++t) fault(spcd, where, t, 0x1000 * (t / 2));
    }
    where.time = where.wake_ups.back();
    spcd.on_wake_up(where);
  }
  topology machine;
  fake_world where;
};

TEST_F(spcd_on_four_nodes, a_tenth_of_the_faults_is_injected) {
  make_mechanism("spcd")->on_begin(where);
  ASSERT_EQ(where.faults.size(), 1u);
  EXPECT_EQ(where.faults[0].what, fault_plan::kind::share);
  EXPECT_EQ(where.faults[0].share, 0.1);
}

TEST_F(spcd_on_four_nodes, without_a_share_no_faults_are_injected) {
  make_mechanism("spcd", {{"fault-share", "0"}})->on_begin(where);
  EXPECT_TRUE(where.faults.empty());
}

TEST_F(spcd_on_four_nodes, matching_puts_pairs_on_one_node) {
  const auto spcd = make_mechanism("spcd", {{"mapping-interval", "20"}});
  run_pairs(*spcd);
  EXPECT_EQ(where.time.nanoseconds, 20 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  const std::vector<pu_id>& pus = where.thread_moves[0];
  for (std::uint32_t t = 0; t < 8; t += 2) {
    EXPECT_EQ(machine.node_of(pus[t]), machine.node_of(pus[t + 1])) << t;
  }
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 40 * ms);
}

TEST_F(spcd_on_four_nodes, acting_on_nothing_still_detects_and_ages) {
  const auto spcd = make_mechanism("spcd", {{"act-on", "none"}, {"matrix-ageing", "0.5"}});
  run_pairs(*spcd);
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_EQ(spcd->sharing().total(), 4 * 9 * 0.5);
}

TEST_F(spcd_on_four_nodes, parameters_out_of_range_are_refused) {
  const auto refusal = [](const char* name, const char* value) {
    return test::refusal_of("spcd", {{name, value}});
  };
  EXPECT_PRED_FORMAT2(IsSubstring, "not a power of two", refusal("block-size", "500"));
  EXPECT_PRED_FORMAT2(IsSubstring, "not a power of two", refusal("table-entries", "1000"));
  EXPECT_PRED_FORMAT2(IsSubstring, "from 2 to", refusal("table-entries", "1"));
  EXPECT_PRED_FORMAT2(IsSubstring, "from 0 to 0.9", refusal("fault-share", "1"));
  EXPECT_PRED_FORMAT2(IsSubstring, "known: threads, none", refusal("act-on", "pages"));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'matching'?", refusal("mapper", "machting"));
}

RC_GTEST_PROP(spcd, an_entry_knows_the_last_distinct_threads,
              (std::vector<std::uint8_t> faulting)) {
  constexpr std::size_t length = 3;
  spcd::fault_table table({.list_length = length});
  std::vector<thread_id> model;
  for (const std::uint8_t number : faulting) {
    const thread_id thread(number % 6);
    std::erase(model, thread);
    const std::span<const thread_id> met = table.note(7, thread, {});
    RC_ASSERT(std::vector<thread_id>(met.begin(), met.end()) == model);
    model.insert(model.begin(), thread);
    if (model.size() > length) model.pop_back();
  }
}

}  // namespace
}  // namespace numatch
