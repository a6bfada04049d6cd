// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "fake_world.hpp"
#include "mechanism/fault_log.hpp"
#include "mechanism/mvas_rules.hpp"

namespace numatch {
namespace {

using mvas::thread_count;
using test::make_mechanism;
using testing::IsSubstring;

constexpr std::uint64_t ms = 1'000'000;

TEST(mvas_rules, equal_counts_at_the_maximum_correlate_fully) {
  EXPECT_EQ(mvas::pair_frequency(2, 2, 2), 1);
  EXPECT_EQ(mvas::pair_frequency(1, 1, 1), 1);
}

TEST(mvas_rules, two_and_one_correlate_to_three_quarters) {
  EXPECT_EQ(mvas::pair_frequency(2, 1, 2), 0.75);
}

TEST(mvas_rules, ones_under_a_maximum_of_two_correlate_to_a_half) {
  EXPECT_EQ(mvas::pair_frequency(1, 1, 2), 0.5);
}

TEST(mvas_rules, who_did_not_use_the_page_correlates_with_nobody) {
  EXPECT_EQ(mvas::pair_frequency(2, 0, 2), 0);
}

TEST(mvas_rules, a_page_adds_what_is_greater_than_alpha) {
  constexpr std::array<thread_count, 3> tuple{{{0, 2}, {1, 2}, {3, 1}}};
  event_matrix access;
  mvas::add_page(tuple, 0.75, access);
  EXPECT_EQ(access.sharing().at(0, 1), 1);
  EXPECT_EQ(access.sharing().at(1, 0), 1);
  EXPECT_EQ(access.sharing().total(), 2);
  mvas::add_page(tuple, 0.5, access);
  EXPECT_EQ(access.sharing().at(0, 1), 2);
  EXPECT_EQ(access.sharing().at(0, 3), 0.75);
  EXPECT_EQ(access.sharing().at(3, 1), 0.75);
}

TEST(mvas_rules, the_first_thread_with_the_highest_count_owns_the_page) {
  constexpr std::array<thread_count, 3> tuple{{{0, 1}, {4, 2}, {7, 2}}};
  const auto nowhere = [](std::uint32_t) { return false; };
  EXPECT_EQ(mvas::owner_of(tuple, mvas::page_tie::lower, nowhere), 4u);
  EXPECT_EQ(mvas::owner_of(tuple, mvas::page_tie::stay, nowhere), 4u);
  const auto with_7 = [](std::uint32_t thread) { return thread == 7; };
  EXPECT_EQ(mvas::owner_of(tuple, mvas::page_tie::lower, with_7), 4u);
  EXPECT_EQ(mvas::owner_of(tuple, mvas::page_tie::stay, with_7), std::nullopt);
  const auto with_0 = [](std::uint32_t thread) { return thread == 0; };
  EXPECT_EQ(mvas::owner_of(tuple, mvas::page_tie::stay, with_0), 4u);
}

RC_GTEST_PROP(mvas_rules, a_pair_frequency_lies_between_the_two_of_its_threads, ()) {
  const std::uint32_t highest = *rc::gen::inRange(1u, 100u);
  const std::uint32_t a = *rc::gen::inRange(1u, highest + 1);
  const std::uint32_t b = *rc::gen::inRange(1u, highest + 1);
  const double phi = mvas::pair_frequency(a, b, highest);
  RC_ASSERT(phi * highest >= std::min(a, b) - 1e-9);
  RC_ASSERT(phi * highest <= std::max(a, b) + 1e-9);
  RC_ASSERT(phi == mvas::pair_frequency(b, a, highest));
}

std::vector<std::vector<std::uint32_t>> rows_of(const fault_log& log) {
  std::vector<std::vector<std::uint32_t>> rows;
  const fault_log::page_tuples seen = log.tuples();
  for (const fault_log::page_tuples::tuple& t : seen.pages) {
    rows.push_back({static_cast<std::uint32_t>(t.page.value)});
    for (const thread_count& c : seen.of(t)) {
      rows.back().push_back(c.thread);
      rows.back().push_back(c.count);
    }
  }
  return rows;
}
using rows = std::vector<std::vector<std::uint32_t>>;

TEST(fault_log, counts_activations_in_which_a_thread_used_a_page) {
  fault_log log(2);
  EXPECT_EQ(rows_of(log), rows{});
  log.begin_activation();
  for (const std::uint32_t thread : {3u, 0u, 3u}) log.note(page_number(9), thread_id(thread));
  log.note(page_number(2), thread_id(1));
  log.end_activation();
  EXPECT_EQ(rows_of(log), (rows{{2, 1, 1}, {9, 0, 1, 3, 1}}));
  log.begin_activation();
  log.note(page_number(9), thread_id(3));
  log.end_activation();
  EXPECT_EQ(rows_of(log), (rows{{2, 1, 1}, {9, 0, 1, 3, 2}}));
  log.begin_activation();
  log.end_activation();
  EXPECT_EQ(rows_of(log), (rows{{9, 3, 1}})) << "the first activation is forgotten";
}

/// Four nodes of two PUs whose threads fault as the last plan says.
class views : public testing::Test {
 protected:
  views() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
    for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t % 2 * 4 + t / 2;
  }

  void start(std::string_view name, std::map<std::string, std::string> given = {},
             std::uint32_t threads = 8) {
    given.try_emplace("activation-period", "20");
    given.try_emplace("trace-period", "2");
    under_test = make_mechanism(name, given);
    under_test->on_begin(where);
    for (std::uint32_t t = 0; t < threads; ++t) under_test->on_thread_start(thread_id(t), where);
  }
  void wake() {
    where.time = where.wake_ups.back();
    under_test->on_wake_up(where);
    faulted.clear();
  }
  void use(std::uint64_t page, std::initializer_list<std::uint32_t> threads) {
    for (const std::uint32_t thread : threads) {
      const fault_plan::kind plan =
          where.faults.empty() ? fault_plan::kind::none : where.faults.back().what;
      if (plan == fault_plan::kind::none) return;
      const bool own_view = plan == fault_plan::kind::thread_views;
      if (!faulted.insert({page, own_view ? thread : 0}).second) continue;
      under_test->on_page_fault({thread_id(thread), page * 4096 + 8, false, true}, where);
    }
  }
  /// One activation in which pairs (0, 1), (2, 3), ... use a page each.
  void activation_of_pairs() {
    wake();
    for (std::uint32_t t = 0; t < 8; t += 2) use(100 + t / 2, {t, t + 1});
    wake();
  }

  topology machine;
  test::fake_world where;
  std::unique_ptr<mechanism> under_test;
  std::set<std::pair<std::uint64_t, std::uint32_t>> faulted;
};

TEST_F(views, are_activated_after_a_period_and_end_after_the_trace_period) {
  start("mvas");
  EXPECT_TRUE(where.faults.empty());
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 20 * ms);
  wake();
  ASSERT_EQ(where.faults.size(), 1u);
  EXPECT_EQ(where.faults[0].what, fault_plan::kind::thread_views);
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 22 * ms);
  wake();
  ASSERT_EQ(where.faults.size(), 2u);
  EXPECT_EQ(where.faults[1].what, fault_plan::kind::none);
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 40 * ms);
}

TEST_F(views, a_single_view_loses_sharers_that_views_per_thread_find) {
  start("mvas");
  activation_of_pairs();
  EXPECT_EQ(under_test->sharing().at(0, 1), 1);
  EXPECT_EQ(under_test->sharing().total(), 8);
  start("mvas-single");
  activation_of_pairs();
  EXPECT_EQ(where.faults[where.faults.size() - 2].what, fault_plan::kind::all_pages);
  EXPECT_EQ(under_test->sharing().total(), 0);
}

TEST_F(views, faults_between_activations_are_not_logged) {
  start("mvas");
  under_test->on_page_fault({thread_id(0), 4096, false, false}, where);
  EXPECT_TRUE(where.touches.empty());
}

TEST_F(views, a_fault_touches_the_threads_counter_of_the_page) {
  start("mvas", {{"thread-groups", "1"}});
  wake();
  use(3, {0, 5});
  ASSERT_EQ(where.touches.size(), 2u);
  EXPECT_EQ(where.touches[0].offset, 3u * 64 * 4);
  EXPECT_EQ(where.touches[1].offset, where.touches[0].offset + 5 * 4);
  under_test->on_page_fault({thread_id(64), 4096, false, true}, where);
  EXPECT_EQ(where.touches.size(), 2u) << "one group has 64 threads";
}

TEST_F(views, count_mode_adds_up_two_activations_and_one_shot_does_not) {
  for (const auto& [mode, expected] : {std::pair{"count", 0.75}, std::pair{"one-shot", 1.0}}) {
    start("mvas", {{"mode", mode}, {"alpha", "0.5"}, {"act-on", "none"}});
    wake();
    use(7, {0});
    wake();
    wake();
    use(7, {0, 1});
    wake();
    EXPECT_EQ(under_test->sharing().at(0, 1), expected) << mode;
  }
}

TEST_F(views, pairs_that_are_correlated_are_clustered_and_pages_follow) {
  start("mvas");
  where.node_of_page = {{100, 3}, {101, 3}, {102, 3}, {103, 3}};
  activation_of_pairs();
  ASSERT_EQ(where.thread_moves.size(), 1u);
  const std::vector<pu_id>& pus = where.thread_moves[0];
  for (std::uint32_t t = 0; t < 8; t += 2) {
    EXPECT_EQ(machine.node_of(pus[t]), machine.node_of(pus[t + 1])) << t;
    EXPECT_EQ(where.node_of_page[100 + t / 2], machine.node_of(pus[t]).value) << t;
  }
}

TEST_F(views, threads_stay_when_they_are_where_they_belong) {
  start("mvas");
  activation_of_pairs();
  activation_of_pairs();
  EXPECT_EQ(where.thread_moves.size(), 1u);
}

TEST_F(views, more_threads_than_processing_units_are_not_bound) {
  start("mvas", {}, 9);
  where.node_of_page[101] = 3;
  activation_of_pairs();
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_EQ(where.node_of_page[101], 0u) << "pages go where thread 2 runs";
}

TEST_F(views, only_pages_move_when_told_so) {
  start("mvas", {{"act-on", "pages"}});
  where.node_of_page[103] = 0;
  activation_of_pairs();
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_EQ(where.node_of_page[103], machine.node_of(pu_id(3)).value);
}

TEST_F(views, a_page_can_stay_with_any_of_its_main_users) {
  start("mvas", {{"act-on", "pages"}, {"page-ties", "stay"}});
  where.node_of_page[101] = machine.node_of(pu_id(5)).value;  // where thread 3 runs
  activation_of_pairs();
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(views, without_a_log_faults_are_induced_and_nothing_is_learned) {
  start("mvas", {{"log", "no"}});
  where.node_of_page[100] = 3;
  activation_of_pairs();
  EXPECT_EQ(where.faults.size(), 2u);
  EXPECT_TRUE(where.touches.empty());
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_EQ(under_test->sharing().total(), 0);
}

TEST_F(views, parameters_that_make_no_sense_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "is not shorter than activation-period",
                      test::refusal_of("mvas", {{"trace-period", "10000"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "from 0 to 1", test::refusal_of("mvas", {{"alpha", "1.5"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'count'?",
                      test::refusal_of("mvas-single", {{"mode", "counts"}}));
}

}  // namespace
}  // namespace numatch
