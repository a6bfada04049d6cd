// SPDX-License-Identifier: Apache-2.0
// What operating systems do by themselves.
#include <gtest/gtest.h>

#include "fake_world.hpp"

namespace numatch {
namespace {

using test::make_mechanism;
using testing::IsSubstring;

class start_policies : public testing::Test {
 protected:
  start_policies() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
  }
  void begin(std::string_view name, const std::map<std::string, std::string>& given = {}) {
    make_mechanism(name, given)->on_begin(where);
  }
  topology machine;
  test::fake_world where;
};

TEST_F(start_policies, first_touch_places_pages_and_leaves_threads) {
  begin("first-touch");
  EXPECT_EQ(where.pages_start, page_placing::first_touch);
  EXPECT_EQ(where.threads_start, std::nullopt);
}

TEST_F(start_policies, interleave_places_pages_in_turn) {
  begin("interleave");
  EXPECT_EQ(where.pages_start, page_placing::interleave);
  EXPECT_EQ(where.threads_start, std::nullopt);
}

TEST_F(start_policies, compact_and_scatter_place_threads_and_leave_pages) {
  begin("compact");
  EXPECT_EQ(where.threads_start, thread_placing::compact);
  begin("scatter");
  EXPECT_EQ(where.threads_start, thread_placing::scatter);
  EXPECT_EQ(where.pages_start, std::nullopt);
}

TEST_F(start_policies, random_draws_threads_and_pages) {
  begin("random");
  EXPECT_EQ(where.threads_start, thread_placing::random);
  EXPECT_EQ(where.pages_start, page_placing::random);
}

TEST_F(start_policies, random_draws_only_what_it_is_told_to) {
  begin("random", {{"act-on", "threads"}});
  EXPECT_EQ(where.threads_start, thread_placing::random);
  EXPECT_EQ(where.pages_start, std::nullopt);
  where.threads_start.reset();
  begin("random", {{"act-on", "pages"}});
  EXPECT_EQ(where.threads_start, std::nullopt);
  EXPECT_EQ(where.pages_start, page_placing::random);
}

TEST_F(start_policies, detect_nothing) {
  for (const char* name :
       {"first-touch", "interleave", "compact", "scatter", "random", "next-touch"}) {
    EXPECT_EQ(make_mechanism(name)->sharing().size(), 0u) << name;
    const result<void> detects = check_detects(**find_mechanism(name));
    ASSERT_FALSE(detects) << name;
    EXPECT_PRED_FORMAT2(IsSubstring, "detects no sharing", detects.error().message());
  }
}

TEST_F(start_policies, ask_nothing_of_a_world_without_a_machine) {
  where.known_machine = nullptr;
  for (const char* name : {"interleave", "random", "next-touch"}) begin(name);
  EXPECT_EQ(where.pages_start, std::nullopt);
  EXPECT_EQ(where.threads_start, std::nullopt);
  EXPECT_TRUE(where.wake_ups.empty());
}

TEST_F(start_policies, a_policy_with_one_half_can_leave_that_and_has_no_other) {
  for (const auto& [name, other] :
       {std::pair{"interleave", "threads"}, std::pair{"first-touch", "threads"},
        std::pair{"compact", "pages"}, std::pair{"scatter", "pages"},
        std::pair{"next-touch", "threads"}}) {
    begin(name, {{"act-on", "none"}});
    EXPECT_PRED_FORMAT2(IsSubstring, "unknown word", test::refusal_of(name, {{"act-on", other}}));
  }
  EXPECT_EQ(where.pages_start, std::nullopt);
  EXPECT_EQ(where.threads_start, std::nullopt);
}

using next_touch = start_policies;

page_fault_event fault(std::uint32_t thread, std::uint64_t address, bool induced = true) {
  return {thread_id(thread), address, false, induced};
}

TEST_F(next_touch, marks_all_pages_once_at_its_time) {
  const auto policy = make_mechanism("next-touch", {{"mark-at", "2.5"}});
  policy->on_begin(where);
  ASSERT_EQ(where.wake_ups.size(), 1u);
  EXPECT_EQ(where.wake_ups[0].nanoseconds, 2'500'000u);
  EXPECT_TRUE(where.faults.empty());
  policy->on_wake_up(where);
  ASSERT_EQ(where.faults.size(), 1u);
  EXPECT_EQ(where.faults[0].what, fault_plan::kind::all_pages);
  EXPECT_EQ(where.wake_ups.size(), 1u);
}

TEST_F(next_touch, marks_all_pages_when_the_last_thread_has_started) {
  const auto policy = make_mechanism("next-touch", {{"mark-with-thread", "3"}});
  policy->on_begin(where);
  EXPECT_TRUE(where.wake_ups.empty());
  for (std::uint32_t t = 0; t < 2; ++t) policy->on_thread_start(thread_id(t), where);
  EXPECT_TRUE(where.faults.empty());
  for (std::uint32_t t = 2; t < 5; ++t) policy->on_thread_start(thread_id(t), where);
  EXPECT_EQ(where.faults.size(), 1u);
}

TEST_F(next_touch, moves_a_page_to_the_thread_that_faults) {
  const auto policy = make_mechanism("next-touch");
  where.pu_of_thread = {{0, 0}, {1, 7}};
  where.node_of_page = {{2, 0}};
  policy->on_page_fault(fault(1, 2 * 4096 + 17), where);
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0], (std::pair<std::uint64_t, std::uint32_t>{2, 3}));
}

TEST_F(next_touch, acting_on_nothing_still_marks_and_moves_nothing) {
  const auto policy = make_mechanism("next-touch", {{"act-on", "none"}});
  where.pu_of_thread = {{1, 7}};
  where.node_of_page = {{2, 0}};
  policy->on_wake_up(where);
  EXPECT_EQ(where.faults.size(), 1u);
  policy->on_page_fault(fault(1, 2 * 4096), where);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(next_touch, pages_have_the_size_of_the_world) {
  const auto policy = make_mechanism("next-touch");
  where.page_size = 2 << 20;
  where.pu_of_thread = {{1, 7}};
  where.node_of_page = {{1, 0}};
  policy->on_page_fault(fault(1, (2 << 20) + 4096), where);
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0].first, 1u);
}

TEST_F(next_touch, leaves_pages_that_are_near_new_or_unknown) {
  const auto policy = make_mechanism("next-touch");
  where.pu_of_thread = {{0, 0}, {1, 7}};
  where.node_of_page = {{2, 0}, {3, 0}};
  policy->on_page_fault(fault(0, 2 * 4096), where);
  policy->on_page_fault(fault(1, 3 * 4096, false), where);
  policy->on_page_fault(fault(1, 9 * 4096), where);
  policy->on_page_fault(fault(5, 3 * 4096), where);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(next_touch, times_that_are_none_are_refused) {
  for (const char* text : {"0", "-1", "soon", ""}) {
    EXPECT_PRED_FORMAT2(IsSubstring, "is not a number from 0.001",
                        test::refusal_of("next-touch", {{"mark-at", text}}))
        << text;
  }
}

}  // namespace
}  // namespace numatch
