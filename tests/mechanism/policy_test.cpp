// SPDX-License-Identifier: Apache-2.0
// What LAPT and SAMMU ask of a world that has a machine.
#include <gtest/gtest.h>

#include "fake_world.hpp"

namespace numatch {
namespace {

using test::make_mechanism;
using testing::IsSubstring;

constexpr std::uint64_t ms = 1'000'000;

/// Four nodes of two PUs, as the machine of both papers' examples.
class on_four_nodes : public testing::Test {
 protected:
  on_four_nodes() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
  }
  void start(mechanism& m, std::uint32_t threads) {
    for (std::uint32_t t = 0; t < threads; ++t) m.on_thread_start(thread_id(t), where);
  }
  void wake(mechanism& m, std::uint64_t at) {
    where.time = {at};
    m.on_wake_up(where);
  }
  /// Pairs (0, 1), (2, 3), ... miss on one page each, in turns.
  void share_in_pairs(mechanism& lapt, std::uint32_t threads) {
    for (int round = 0; round < 20; ++round) {
      for (std::uint32_t t = 0; t < threads; ++t) {
        lapt.on_tlb_miss({thread_id(t), page_number(t / 2), {}}, where);
      }
    }
  }
  topology machine;
  test::fake_world where;
};

using lapt_on_four_nodes = on_four_nodes;
using sammu_on_four_nodes = on_four_nodes;

TEST_F(lapt_on_four_nodes, the_worked_example_moves_the_page_to_node_1) {
  const auto lapt = make_mechanism("lapt", {{"act-on", "pages"}});
  where.pu_of_thread = {{0, 0}, {1, 2}, {2, 2}, {3, 3}, {4, 3}, {5, 3}};
  where.node_of_page[5] = 0;
  start(*lapt, 6);
  for (const std::uint32_t thread : {4u, 1u, 2u, 0u, 3u}) {
    lapt->on_tlb_miss({thread_id(thread), page_number(5), {}}, where);
  }
  wake(*lapt, 500 * ms);
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0], (std::pair<std::uint64_t, std::uint32_t>{5, 1}));
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(lapt_on_four_nodes, the_first_mapping_comes_after_300_ms_and_moves_threads_and_pages) {
  const auto lapt = make_mechanism("lapt");
  // As many threads as PUs, pairs far from each other: thread t runs on PU 4 (t mod 2) + t / 2.
  for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t % 2 * 4 + t / 2;
  where.node_of_page = {{0, 3}, {1, 3}, {2, 3}, {3, 3}};
  start(*lapt, 8);
  ASSERT_EQ(where.wake_ups.size(), 1u);
  EXPECT_EQ(where.wake_ups[0].nanoseconds, 300 * ms);
  share_in_pairs(*lapt, 8);
  wake(*lapt, 300 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  const std::vector<pu_id>& pus = where.thread_moves[0];
  for (std::uint32_t t = 0; t < 8; t += 2) {
    EXPECT_EQ(machine.node_of(pus[t]), machine.node_of(pus[t + 1])) << t;
    EXPECT_EQ(where.node_of_page[t / 2], machine.node_of(pus[t]).value) << t;
  }
}

TEST_F(lapt_on_four_nodes, the_interval_halves_after_a_change_and_grows_without) {
  const auto lapt = make_mechanism("lapt");
  where.pu_of_thread = {{0, 0}, {1, 2}};
  start(*lapt, 2);
  share_in_pairs(*lapt, 2);
  wake(*lapt, 300 * ms);
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 450 * ms);
  wake(*lapt, 450 * ms);
  EXPECT_EQ(where.thread_moves.size(), 1u);
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 650 * ms);
}

TEST_F(lapt_on_four_nodes, pages_are_looked_at_after_500_ms_when_threads_stay) {
  const auto lapt = make_mechanism("lapt");
  where.pu_of_thread = {{0, 0}};
  where.node_of_page[7] = 2;
  start(*lapt, 1);
  lapt->on_tlb_miss({thread_id(0), page_number(7), {}}, where);
  wake(*lapt, 300 * ms);
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 500 * ms);
  wake(*lapt, 500 * ms);
  EXPECT_EQ(where.node_of_page[7], 0u);
}

TEST_F(lapt_on_four_nodes, wake_ups_end_with_the_last_thread_and_begin_again_with_a_new_one) {
  const auto lapt = make_mechanism("lapt");
  start(*lapt, 1);
  lapt->on_thread_end(thread_id(0), where);
  wake(*lapt, 300 * ms);
  EXPECT_EQ(where.wake_ups.size(), 1u);
  lapt->on_thread_start(thread_id(1), where);
  EXPECT_EQ(where.wake_ups.size(), 2u);
}

TEST_F(lapt_on_four_nodes, a_least_gain_keeps_threads_where_they_are_nearly_as_good) {
  const auto lapt = make_mechanism("lapt", {{"remap-gain", "1"}});
  where.pu_of_thread = {{0, 0}, {1, 7}};
  start(*lapt, 2);
  // A gain of 1 asks for a cost of 0, which two threads on two PUs cannot have.
  share_in_pairs(*lapt, 2);
  wake(*lapt, 300 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(lapt_on_four_nodes, acting_on_nothing_moves_nothing) {
  const auto lapt = make_mechanism("lapt", {{"act-on", "none"}});
  where.pu_of_thread = {{0, 0}, {1, 7}};
  where.node_of_page[0] = 2;
  start(*lapt, 2);
  share_in_pairs(*lapt, 2);
  wake(*lapt, 500 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(lapt_on_four_nodes, software_work_is_told_to_the_world) {
  const auto lapt = make_mechanism("lapt");
  where.pu_of_thread = {{0, 0}, {1, 7}};
  start(*lapt, 2);
  share_in_pairs(*lapt, 2);
  wake(*lapt, 500 * ms);
  ASSERT_EQ(where.work.size(), 2u);
  EXPECT_EQ(where.work[0], (std::pair{software_work::map_threads, std::uint64_t{2}}));
  EXPECT_EQ(where.work[1], (std::pair{software_work::scan_pages, std::uint64_t{1}}));
}

TEST_F(lapt_on_four_nodes, an_unknown_mapper_is_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'scotch'?",
                      test::refusal_of("lapt", {{"mapper", "scoch"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "is longer than longest-interval",
                      test::refusal_of("lapt", {{"shortest-interval", "600"}}));
}

TEST_F(sammu_on_four_nodes, a_page_moves_when_the_counters_differ_by_nt) {
  const auto sammu = make_mechanism("sammu", {{"act-on", "pages"}, {"numa-threshold", "4"}});
  where.pu_of_thread = {{3, 3}};
  where.node_of_page[5] = 0;
  start(*sammu, 4);
  const auto evict = [&](std::uint64_t accesses) {
    sammu->on_tlb_evict({thread_id(3), page_number(5), accesses, false, {}}, where);
  };
  evict(100);  // NC[1] = 2
  wake(*sammu, 100 * ms);
  EXPECT_TRUE(where.page_moves.empty());
  evict(10);  // below AT: no statistics
  wake(*sammu, 200 * ms);
  EXPECT_TRUE(where.page_moves.empty());
  evict(100);  // NC[1] = 4
  EXPECT_TRUE(where.page_moves.empty());
  wake(*sammu, 300 * ms);
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0], (std::pair<std::uint64_t, std::uint32_t>{5, 1}));
  wake(*sammu, 400 * ms);
  EXPECT_EQ(where.page_moves.size(), 1u);
}

TEST_F(sammu_on_four_nodes, the_node_is_that_of_the_tlb_not_of_the_thread_now) {
  const auto sammu = make_mechanism("sammu", {{"act-on", "pages"}, {"numa-threshold", "2"}});
  where.pu_of_thread = {{0, 0}};
  where.node_of_page[5] = 0;
  start(*sammu, 1);
  sammu->on_tlb_evict({thread_id(0), page_number(5), 9, false, pu_id(6)}, where);
  wake(*sammu, 100 * ms);
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0].second, 3u);
}

TEST_F(sammu_on_four_nodes, the_threshold_rises_when_too_many_pages_move) {
  const auto sammu =
      make_mechanism("sammu", {{"act-on", "pages"}, {"numa-threshold", "2"}, {"raise-above", "2"}});
  where.pu_of_thread = {{0, 2}};
  start(*sammu, 1);
  const auto evict = [&](std::uint64_t page) {
    where.node_of_page[page] = 0;
    sammu->on_tlb_evict({thread_id(0), page_number(page), 9, false, {}}, where);
  };
  for (const std::uint64_t page : {1u, 2u, 3u}) evict(page);
  wake(*sammu, 100 * ms);
  EXPECT_EQ(where.page_moves.size(), 3u);
  evict(4);  // a difference of 2 is not enough any more
  wake(*sammu, 200 * ms);
  EXPECT_EQ(where.page_moves.size(), 3u);
}

TEST_F(sammu_on_four_nodes, threads_are_mapped_every_100_ms_and_the_matrix_ages) {
  const auto sammu = make_mechanism("sammu");
  for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t % 2 * 4 + t / 2;
  start(*sammu, 8);
  for (int i = 0; i < 4; ++i) {
    for (std::uint32_t t = 0; t < 8; ++t) {
      sammu->on_tlb_evict({thread_id(t), page_number(t / 2), 9, false, {}}, where);
    }
  }
  const double before = sammu->sharing().total();
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 100 * ms);
  wake(*sammu, 100 * ms);
  EXPECT_EQ(sammu->sharing().total(), 0.75 * before);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  EXPECT_EQ(machine.node_of(where.thread_moves[0][0]), machine.node_of(where.thread_moves[0][1]));
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 200 * ms);
}

TEST_F(sammu_on_four_nodes, without_a_machine_nothing_is_asked) {
  for (const char* name : {"sammu", "lapt"}) {
    test::fake_world trace;
    const auto m = make_mechanism(name);
    m->on_thread_start(thread_id(0), trace);
    m->on_tlb_miss({thread_id(0), page_number(5), {}}, trace);
    m->on_tlb_evict({thread_id(0), page_number(5), 9, false, {}}, trace);
    EXPECT_TRUE(trace.wake_ups.empty()) << name;
    EXPECT_TRUE(trace.page_moves.empty()) << name;
  }
}

}  // namespace
}  // namespace numatch
