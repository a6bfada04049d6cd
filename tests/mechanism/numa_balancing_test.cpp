// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "four_nodes.hpp"

namespace numatch {
namespace {

using test::ms;
using test::page_moves;
using testing::IsSubstring;

class numa_balancing_system : public test::four_nodes {
 protected:
  void map(mechanism& m, std::uint64_t page, std::uint32_t node, std::uint32_t thread = 0) {
    where.node_of_page[page] = node;
    m.on_page_fault({thread_id(thread), page * 4096, true, false}, where);
  }
  void hint(mechanism& m, std::uint32_t thread, std::uint64_t page) {
    m.on_page_fault({thread_id(thread), page * 4096 + 8, false, true}, where);
  }
  std::vector<std::uint64_t> marked(std::size_t scan) const {
    std::vector<std::uint64_t> pages;
    for (const page_number page : where.faults.at(scan).pages) pages.push_back(page.value);
    return pages;
  }
};

using pages = std::vector<std::uint64_t>;

TEST_F(numa_balancing_system, after_a_second_the_mapped_pages_are_marked_by_address) {
  const auto m = begin("numa-balancing", 2);
  for (const std::uint64_t page : {9u, 3u, 7u}) map(*m, page, 0);
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 1000 * ms);
  wake(*m, 1000 * ms);
  ASSERT_EQ(where.faults.size(), 1u);
  EXPECT_EQ(where.faults[0].what, fault_plan::kind::pages);
  EXPECT_EQ(marked(0), (pages{3, 7, 9}));
  EXPECT_EQ(where.work.back(), (std::pair{software_work::scan_pages, std::uint64_t{3}}));
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 2000 * ms);
}

TEST_F(numa_balancing_system, a_scan_takes_its_size_and_the_next_one_goes_on) {
  const auto m = begin("numa-balancing", 1, {{"scan-size", "0.0078125"}});  // two pages
  for (std::uint64_t page = 1; page <= 5; ++page) map(*m, page, 0);
  for (std::uint64_t i = 1; i <= 2; ++i) wake(*m, i * 1000 * ms);
  map(*m, 2, 0);
  map(*m, 0, 0);
  for (std::uint64_t i = 3; i <= 4; ++i) wake(*m, i * 1000 * ms);
  EXPECT_EQ(marked(0), (pages{1, 2}));
  EXPECT_EQ(marked(1), (pages{3, 4}));
  EXPECT_EQ(marked(2), (pages{5}));
  EXPECT_EQ(marked(3), (pages{0, 1}));
}

TEST_F(numa_balancing_system, a_thread_takes_its_own_pages_along_at_the_first_hint_fault) {
  const auto m = begin("numa-balancing", 8);
  map(*m, 5, 0);
  wake(*m, 1000 * ms);
  hint(*m, 7, 5);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}}));
}

TEST_F(numa_balancing_system, a_fault_that_was_not_induced_moves_nothing) {
  const auto m = begin("numa-balancing", 8);
  map(*m, 5, 0);
  map(*m, 5, 0, 7);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(numa_balancing_system, a_shared_page_moves_when_two_faults_in_turn_come_from_one_node) {
  const auto m = begin("numa-balancing", 8, {{"groups", "no"}});
  map(*m, 5, 0);
  hint(*m, 0, 5);
  hint(*m, 7, 5);
  EXPECT_TRUE(where.page_moves.empty());
  hint(*m, 6, 5);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}}));
}

TEST_F(numa_balancing_system, without_the_second_stage_one_fault_is_enough) {
  const auto m = begin("numa-balancing", 8, {{"groups", "no"}, {"two-stage", "no"}});
  map(*m, 5, 0);
  hint(*m, 0, 5);
  hint(*m, 7, 5);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}}));
}

TEST_F(numa_balancing_system, shared_hint_faults_are_what_it_knows_of_sharing) {
  const auto m = begin("numa-balancing", 8);
  map(*m, 5, 0);
  for (const std::uint32_t thread : {0u, 7u, 7u, 0u}) hint(*m, thread, 5);
  EXPECT_EQ(m->sharing().at(7, 0), 1);
  EXPECT_EQ(m->sharing().at(0, 7), 1);
  EXPECT_EQ(m->sharing().total(), 2);
}

TEST_F(numa_balancing_system, a_page_is_asked_for_once_until_its_outcome) {
  const auto m = begin("numa-balancing", 8);
  map(*m, 5, 0);
  hint(*m, 7, 5);
  where.node_of_page[5] = 0;
  hint(*m, 7, 5);
  EXPECT_EQ(where.page_moves.size(), 1u);
  outcome(*m, 1, false);
  hint(*m, 7, 5);
  EXPECT_EQ(where.page_moves.size(), 2u);
}

TEST_F(numa_balancing_system, failed_page_moves_make_scans_rarer) {
  const auto next_scan = [&](bool done) {
    where.time = {0};
    const auto m = begin("numa-balancing", 1, {{"act-on", "pages"}});
    map(*m, 5, 3);
    map(*m, 6, 0);
    wake(*m, 1000 * ms);
    hint(*m, 0, 6);  // local; the first look at the statistics doubles the period
    hint(*m, 0, 5);
    outcome(*m, where.last_ticket(), done);
    wake(*m, 2000 * ms);
    wake(*m, 3000 * ms);
    hint(*m, 0, 6);
    wake(*m, 5000 * ms);
    return where.wake_ups.back().nanoseconds;
  };
  // Two private faults: a period of 2000 + 3 x 200 ms, from the scan at 5000 ms. With a failed
  // move: twice 2000 ms, from the fault at 3000 ms.
  EXPECT_EQ(next_scan(true), 7600 * ms);
  EXPECT_EQ(next_scan(false), 7000 * ms);
}

TEST_F(numa_balancing_system, a_thread_follows_its_memory_to_an_idle_pu) {
  const auto m = begin("numa-balancing", 1, {{"act-on", "threads"}});
  map(*m, 5, 3);
  wake(*m, 1000 * ms);
  hint(*m, 0, 5);
  EXPECT_TRUE(where.thread_moves.empty());
  wake(*m, 3000 * ms);
  hint(*m, 0, 5);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  EXPECT_EQ(where.thread_moves[0], (std::vector<pu_id>{pu_id(6)}));
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(numa_balancing_system, memory_that_could_not_come_counts_where_it_stayed) {
  const auto moves = [&](bool done) {
    where.time = {0};
    where.thread_moves.clear();
    const auto m = begin("numa-balancing", 1);
    map(*m, 5, 3);
    wake(*m, 1000 * ms);
    hint(*m, 0, 5);
    if (!done) where.node_of_page[5] = 3;
    outcome(*m, where.last_ticket(), done);
    wake(*m, 3000 * ms);
    hint(*m, 0, 5);
    return where.thread_moves.size();
  };
  EXPECT_EQ(moves(true), 0u);
  EXPECT_EQ(moves(false), 1u);
}

TEST_F(numa_balancing_system, on_a_full_machine_two_threads_that_gain_change_places) {
  const auto m = begin("numa-balancing", 8, {{"act-on", "threads"}});
  map(*m, 5, 3);
  map(*m, 6, 0, 7);
  wake(*m, 1000 * ms);
  const auto use = [&] {
    hint(*m, 7, 6);
    hint(*m, 0, 5);
  };
  use();
  EXPECT_TRUE(where.thread_moves.empty());
  wake(*m, 3000 * ms);
  use();
  ASSERT_EQ(where.thread_moves.size(), 1u);
  EXPECT_EQ(node_of_thread(7), node_id(0));
  // Whoever was swapped out of node 0 is on PU 7 now; every PU has one thread.
  std::set<std::uint32_t> taken;
  for (const pu_id pu : where.thread_moves[0]) taken.insert(pu.value);
  EXPECT_EQ(taken.size(), 8u);
}

TEST_F(numa_balancing_system, a_thread_move_that_failed_is_tried_again_after_a_while) {
  const auto m = begin("numa-balancing", 1, {{"act-on", "threads"}});
  map(*m, 5, 3);
  wake(*m, 1000 * ms);
  hint(*m, 0, 5);
  wake(*m, 3000 * ms);
  hint(*m, 0, 5);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  where.pu_of_thread[0] = 0;
  where.time = {4500 * ms};
  hint(*m, 0, 5);  // under way
  EXPECT_EQ(where.thread_moves.size(), 1u);
  outcome(*m, where.last_ticket(), false, action_kind::move_threads);
  hint(*m, 0, 5);  // too early
  EXPECT_EQ(where.thread_moves.size(), 1u);
  where.time = {5500 * ms};
  hint(*m, 0, 5);
  EXPECT_EQ(where.thread_moves.size(), 2u);
}

TEST_F(numa_balancing_system, more_threads_than_pus_change_places_one_for_one) {
  const auto m = begin("numa-balancing", 16, {{"act-on", "threads"}});
  map(*m, 5, 3);
  map(*m, 6, 0, 15);
  for (const std::uint64_t at : {1000u, 3000u}) {
    wake(*m, at * ms);
    hint(*m, 15, 6);
    hint(*m, 0, 5);
  }
  ASSERT_EQ(where.thread_moves.size(), 1u);
  std::map<std::uint32_t, int> threads_on;
  for (const pu_id pu : where.thread_moves[0]) ++threads_on[pu.value];
  EXPECT_EQ(threads_on.size(), 8u);
  for (const auto& [pu, threads] : threads_on) EXPECT_EQ(threads, 2) << pu;
}

TEST_F(numa_balancing_system, acting_on_nothing_scans_and_moves_nothing) {
  const auto m = begin("numa-balancing", 1, {{"act-on", "none"}});
  map(*m, 5, 3);
  for (const std::uint64_t at : {1000u, 3000u}) {
    wake(*m, at * ms);
    hint(*m, 0, 5);
  }
  EXPECT_EQ(where.faults.size(), 2u);
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(numa_balancing_system, a_run_without_pages_marks_none) {
  const auto m = begin("numa-balancing", 8);
  wake(*m, 1000 * ms);
  EXPECT_TRUE(where.faults.empty());
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 2000 * ms);
}

TEST_F(numa_balancing_system, scans_end_with_the_last_thread) {
  const auto m = begin("numa-balancing", 1);
  map(*m, 5, 0);
  m->on_thread_end(thread_id(0), where);
  wake(*m, 1000 * ms);
  EXPECT_TRUE(where.faults.empty());
  EXPECT_EQ(where.wake_ups.size(), 1u);
}

TEST_F(numa_balancing_system, a_hint_fault_touches_its_page_and_two_counters_of_its_thread) {
  const auto m = begin("numa-balancing", 1);
  map(*m, 5, 0);
  EXPECT_TRUE(where.touches.empty());
  hint(*m, 0, 5);
  EXPECT_EQ(where.touches.size(), 3u);
}

TEST_F(numa_balancing_system, without_a_machine_it_does_nothing) {
  test::fake_world trace;
  const auto m = test::make_mechanism("numa-balancing");
  m->on_begin(trace);
  m->on_thread_start(thread_id(0), trace);
  m->on_page_fault({thread_id(0), 5000, true, true}, trace);
  m->on_thread_end(thread_id(0), trace);
  EXPECT_TRUE(trace.wake_ups.empty());
  EXPECT_EQ(m->sharing().size(), 1u);
}

TEST_F(numa_balancing_system, bad_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter scan-period-min: is longer than scan-period-max",
                      test::refusal_of("numa-balancing", {{"scan-period-min", "60001"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter scan-size: '0' is not a number from 0.001",
                      test::refusal_of("numa-balancing", {{"scan-size", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'scan-size'?",
                      test::refusal_of("numa-balancing", {{"scan-sise", "256"}}));
}

}  // namespace
}  // namespace numatch
