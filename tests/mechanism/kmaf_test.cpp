// SPDX-License-Identifier: Apache-2.0
#include "four_nodes.hpp"

namespace numatch {
namespace {

using test::ms;
using test::page_moves;
using testing::IsSubstring;

class kmaf : public test::four_nodes {
 protected:
  void fault(mechanism& m, std::uint32_t thread, std::uint64_t page, std::uint64_t offset = 0) {
    m.on_page_fault({thread_id(thread), page * 4096 + offset, false, true}, where);
  }
};

TEST_F(kmaf, the_example_of_section_4_3_3_counts_thread_3_with_0_and_2_and_drops_2) {
  const auto m = begin("kmaf", 4);
  fault(*m, 2, 9);
  fault(*m, 0, 9);
  const double before = m->sharing().total();
  fault(*m, 3, 9);
  EXPECT_EQ(m->sharing().at(3, 0), 1);
  EXPECT_EQ(m->sharing().at(3, 2), 1);
  EXPECT_EQ(m->sharing().total() - before, 2);
  fault(*m, 1, 9);  // the list is 3, 0
  EXPECT_EQ(m->sharing().at(1, 2), 0);
  EXPECT_EQ(m->sharing().at(1, 0), 1);
}

TEST_F(kmaf, threads_in_different_blocks_of_a_page_do_not_meet) {
  const auto m = begin("kmaf", 2, {{"block-size", "512"}});
  fault(*m, 0, 9, 0);
  fault(*m, 1, 9, 512);
  EXPECT_EQ(m->sharing().total(), 0);
  fault(*m, 1, 9, 511);
  EXPECT_EQ(m->sharing().at(1, 0), 1);
}

TEST_F(kmaf, a_page_moves_during_the_fault_that_makes_another_node_its_user) {
  const auto m = begin("kmaf", 8);
  where.node_of_page[9] = 0;
  fault(*m, 0, 9);
  fault(*m, 7, 9);  // one fault each: it stays
  EXPECT_TRUE(where.page_moves.empty());
  fault(*m, 6, 9);
  EXPECT_EQ(where.page_moves, (page_moves{{9, 3}}));
}

TEST_F(kmaf, the_first_fault_of_a_page_leaves_it_where_it_was_put) {
  const auto m = begin("kmaf", 8, {{"least-faults", "1"}});
  where.node_of_page[9] = 0;
  fault(*m, 7, 9);
  EXPECT_TRUE(where.page_moves.empty());
  fault(*m, 7, 9);
  EXPECT_EQ(where.page_moves.size(), 1u);
}

TEST_F(kmaf, a_page_below_the_exclusivity_stays_or_is_spread_by_its_number) {
  const auto use = [&](const char* shared) {
    where.page_moves.clear();
    where.node_of_page[9] = 0;
    const auto m = begin("kmaf", 8, {{"exclusivity", "0.6"}, {"shared-pages", shared}});
    for (const std::uint32_t thread : {7u, 0u}) fault(*m, thread, 9);
    return where.page_moves;
  };
  EXPECT_EQ(use("stay"), page_moves{});
  EXPECT_EQ(use("balance"), (page_moves{{9, 1}}));
}

TEST_F(kmaf, a_page_move_that_failed_is_tried_again_at_the_next_fault) {
  const auto m = begin("kmaf", 8);
  where.node_of_page[9] = 0;
  fault(*m, 7, 9);
  fault(*m, 7, 9);
  EXPECT_EQ(where.page_moves.size(), 1u);
  where.node_of_page[9] = 0;  // under way
  fault(*m, 7, 9);
  EXPECT_EQ(where.page_moves.size(), 1u);
  outcome(*m, 1, false);
  fault(*m, 7, 9);
  EXPECT_EQ(where.page_moves.size(), 2u);
}

TEST_F(kmaf, a_page_that_was_unmapped_is_left_alone) {
  const auto m = begin("kmaf", 8);
  for (int i = 0; i < 3; ++i) fault(*m, 7, 9);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(kmaf, threads_are_mapped_every_100_ms) {
  const auto m = begin("kmaf", 8, {{"fault-share", "0"}, {"ageing", "0.5"}});
  for (int round = 0; round < 9; ++round) {
    for (std::uint32_t t = 0; t < 8; ++t) fault(*m, t, t % 4);
  }
  const double before = m->sharing().total();
  wake(*m, 10 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
  wake(*m, 100 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 4)) << t;
  EXPECT_EQ(m->sharing().total(), before / 2);
}

TEST_F(kmaf, a_share_of_the_known_pages_is_drawn_for_extra_faults) {
  const auto m = begin("kmaf", 1, {{"fault-share", "0.1"}});
  for (std::uint64_t page = 100; page < 300; ++page) fault(*m, 0, page);
  wake(*m, 10 * ms);
  ASSERT_EQ(where.faults.size(), 1u);
  EXPECT_EQ(where.faults[0].what, fault_plan::kind::pages);
  const std::vector<page_number> first = where.faults[0].pages;
  EXPECT_LE(first.size(), 20u);
  EXPECT_GE(first.size(), 15u);
  for (const page_number page : first) EXPECT_TRUE(page.value >= 100 && page.value < 300);
  EXPECT_EQ(where.work.back(), (std::pair{software_work::scan_pages, first.size()}));
  wake(*m, 20 * ms);
  EXPECT_NE(where.faults[1].pages, first);
}

TEST_F(kmaf, the_same_seed_draws_the_same_pages) {
  const auto draw = [&] {
    where.faults.clear();
    const auto m = begin("kmaf", 1, {{"fault-share", "0.1"}});
    for (std::uint64_t page = 100; page < 300; ++page) fault(*m, 0, page);
    wake(*m, 10 * ms);
    where.time = {0};
    return where.faults.at(0).pages;
  };
  EXPECT_EQ(draw(), draw());
}

TEST_F(kmaf, a_run_without_faults_asks_for_nothing) {
  const auto m = begin("kmaf", 8);
  wake(*m, 10 * ms);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.faults.empty());
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(kmaf, acting_on_threads_or_pages_leaves_the_others_alone) {
  for (const char* word : {"threads", "pages", "none"}) {
    where.time = {0};
    where.thread_moves.clear();
    where.page_moves.clear();
    where.node_of_page = {{0, 3}, {1, 3}, {2, 3}, {3, 0}};
    const auto m = begin("kmaf", 8, {{"act-on", word}});
    for (int round = 0; round < 9; ++round) {
      for (std::uint32_t t = 0; t < 8; ++t) fault(*m, t, t % 4);
    }
    wake(*m, 100 * ms);
    EXPECT_EQ(where.thread_moves.size(), word == std::string("threads") ? 1u : 0u) << word;
    EXPECT_EQ(where.page_moves.empty(), word != std::string("pages")) << word;
  }
}

TEST_F(kmaf, more_threads_than_pus_are_mapped_evenly) {
  const auto m = begin("kmaf", 16);
  for (int round = 0; round < 9; ++round) {
    for (std::uint32_t t = 0; t < 16; ++t) fault(*m, t, t % 8 / 2);
  }
  where.pu_of_thread[0] = 7;
  wake(*m, 100 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  std::map<std::uint32_t, int> threads_on;
  for (const pu_id pu : where.thread_moves[0]) ++threads_on[pu.value];
  for (const auto& [pu, threads] : threads_on) EXPECT_EQ(threads, 2) << pu;
}

TEST_F(kmaf, without_a_machine_only_sharing_is_detected) {
  test::fake_world trace;
  const auto m = test::make_mechanism("kmaf");
  m->on_thread_start(thread_id(0), trace);
  m->on_page_fault({thread_id(0), 5000, true, false}, trace);
  m->on_page_fault({thread_id(1), 5000, true, false}, trace);
  EXPECT_EQ(m->sharing().at(1, 0), 1);
  EXPECT_TRUE(trace.wake_ups.empty());
}

TEST_F(kmaf, every_fault_touches_its_block_its_page_and_one_cell_per_other_thread) {
  const auto m = begin("kmaf", 2);
  fault(*m, 0, 9);
  EXPECT_EQ(where.touches.size(), 2u);
  fault(*m, 1, 9);
  EXPECT_EQ(where.touches.size(), 5u);
}

TEST_F(kmaf, bad_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter block-size: 1000 is not a power of two",
                      test::refusal_of("kmaf", {{"block-size", "1000"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "'1.5' is not a number from 0 to 1",
                      test::refusal_of("kmaf", {{"fault-share", "1.5"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'balance'?",
                      test::refusal_of("kmaf", {{"shared-pages", "balanced"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "unknown", test::refusal_of("kmaf", {{"mapper", "zzz"}}));
}

}  // namespace
}  // namespace numatch
