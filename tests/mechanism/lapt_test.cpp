// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "fake_world.hpp"
#include "mechanism/lapt_tables.hpp"
#include "mechanism/sharers_vector.hpp"

namespace numatch {
namespace {

using test::fake_world;
using test::make_mechanism;
using testing::IsSubstring;

void miss(mechanism& lapt, fake_world& where, std::uint32_t thread, std::uint64_t page = 5) {
  lapt.on_tlb_miss({thread_id(thread), page_number(page), {}}, where);
}

std::vector<std::uint16_t> ids_of(const sharers_vector& v) {
  return {v.ids().begin(), v.ids().end()};
}

TEST(lapt, the_worked_example_of_section_3d_counts_thread_3_with_the_four_of_the_vector) {
  const auto lapt = make_mechanism("lapt");
  fake_world where;
  for (const std::uint32_t thread : {4u, 1u, 2u, 0u}) miss(*lapt, where, thread);  // CV 0, 2, 1, 4
  const sharing_matrix before = lapt->sharing();
  miss(*lapt, where, 3);
  const sharing_matrix after = lapt->sharing();
  ASSERT_EQ(after.size(), 5u);
  for (const std::size_t other : {0u, 2u, 1u, 4u}) EXPECT_EQ(after.at(3, other), 1);
  EXPECT_EQ(after.total() - before.total(), 4);
  // The vector is 3, 0, 2, 1 now: thread 5 meets these and no longer 4.
  miss(*lapt, where, 5);
  const sharing_matrix last = lapt->sharing();
  for (const std::size_t other : {3u, 0u, 2u, 1u}) EXPECT_EQ(last.at(5, other), 1);
  EXPECT_EQ(last.at(5, 4), 0);
}

TEST(lapt, the_worked_example_moves_the_page_to_node_1) {
  std::vector<std::uint32_t> nat(4);
  const lapt::nat_rule rule;
  for (const std::uint32_t node : {1u, 0u, 1u, 1u}) lapt::count_node(nat, node_id(node), rule);
  EXPECT_EQ(nat, (std::vector<std::uint32_t>{1, 3, 0, 0}));
  EXPECT_EQ(lapt::better_node(nat, node_id(0), rule), node_id(1));
  EXPECT_EQ(lapt::better_node(nat, node_id(1), rule), std::nullopt);
}

TEST(lapt, a_migration_halves_the_counters_when_their_average_is_one_or_more) {
  std::vector<std::uint32_t> nat{1, 3, 0, 0};
  lapt::age(nat);
  EXPECT_EQ(nat, (std::vector<std::uint32_t>{0, 1, 0, 0}));
  std::vector<std::uint32_t> young{0, 3, 0, 0};
  lapt::age(young);
  EXPECT_EQ(young, (std::vector<std::uint32_t>{0, 3, 0, 0}));
}

TEST(lapt, on_two_nodes_a_page_moves_only_when_the_other_counter_is_zero) {
  const lapt::nat_rule rule;
  for (std::uint32_t other = 0; other < 4; ++other) {
    const std::vector<std::uint32_t> nat{other, 200};
    EXPECT_EQ(lapt::better_node(nat, node_id(0), rule).has_value(), other == 0) << other;
  }
}

TEST(lapt, a_page_on_one_of_two_equal_nodes_stays) {
  const std::vector<std::uint32_t> nat{0, 4, 4, 0};
  EXPECT_EQ(lapt::better_node(nat, node_id(2), {}), std::nullopt);
  EXPECT_EQ(lapt::better_node(nat, node_id(0), {}), node_id(1));
}

TEST(lapt, a_page_that_nobody_used_stays) {
  const std::vector<std::uint32_t> nat(4);
  EXPECT_EQ(lapt::better_node(nat, node_id(2), {}), std::nullopt);
}

TEST(lapt, a_full_counter_saturates_or_halves_all_of_the_page) {
  std::vector<std::uint32_t> nat{254, 9};
  lapt::count_node(nat, node_id(0), {});
  lapt::count_node(nat, node_id(0), {});
  EXPECT_EQ(nat, (std::vector<std::uint32_t>{255, 9}));
  lapt::count_node(nat, node_id(0), {.halve_when_full = true});
  EXPECT_EQ(nat, (std::vector<std::uint32_t>{128, 4}));
}

TEST(lapt, the_interval_grows_by_50_ms_and_halves_between_50_and_500_ms) {
  constexpr std::uint64_t ms = 1'000'000;
  const lapt::interval_rule rule;
  EXPECT_EQ(rule.first, 300 * ms);
  EXPECT_EQ(lapt::next_interval(300 * ms, false, rule), 350 * ms);
  EXPECT_EQ(lapt::next_interval(300 * ms, true, rule), 150 * ms);
  EXPECT_EQ(lapt::next_interval(480 * ms, false, rule), 500 * ms);
  EXPECT_EQ(lapt::next_interval(500 * ms, false, rule), 500 * ms);
  EXPECT_EQ(lapt::next_interval(75 * ms, true, rule), 50 * ms);
}

TEST(lapt, a_thread_that_misses_alone_shares_with_nobody) {
  const auto lapt = make_mechanism("lapt");
  fake_world where;
  for (int i = 0; i < 10; ++i) miss(*lapt, where, 1);
  EXPECT_EQ(lapt->sharing().size(), 2u);
  EXPECT_EQ(lapt->sharing().total(), 0);
}

TEST(lapt, a_thread_that_misses_twice_takes_two_places_of_the_vector) {
  const auto lapt = make_mechanism("lapt", {{"cv-length", "2"}});
  fake_world where;
  for (const std::uint32_t thread : {0u, 1u, 1u, 2u}) miss(*lapt, where, thread);
  EXPECT_EQ(lapt->sharing().at(2, 1), 2);
  EXPECT_EQ(lapt->sharing().at(2, 0), 0);
}

TEST(lapt, with_move_to_front_it_takes_one) {
  const auto lapt = make_mechanism("lapt", {{"cv-length", "2"}, {"move-to-front", "yes"}});
  fake_world where;
  for (const std::uint32_t thread : {0u, 1u, 1u, 2u}) miss(*lapt, where, thread);
  EXPECT_EQ(lapt->sharing().at(2, 1), 1);
  EXPECT_EQ(lapt->sharing().at(2, 0), 1);
}

TEST(lapt, zero_filled_vectors_count_with_thread_0) {
  const auto lapt = make_mechanism("lapt", {{"empty-slots", "zero"}});
  fake_world where;
  miss(*lapt, where, 2);
  EXPECT_EQ(lapt->sharing().at(2, 0), 4);
}

TEST(lapt, pages_do_not_mix) {
  const auto lapt = make_mechanism("lapt");
  fake_world where;
  miss(*lapt, where, 0, 10);
  miss(*lapt, where, 1, 11);
  EXPECT_EQ(lapt->sharing().total(), 0);
}

TEST(lapt, every_miss_touches_the_vector_and_one_matrix_cell_per_sharer) {
  const auto lapt = make_mechanism("lapt");
  fake_world where;
  miss(*lapt, where, 0);
  EXPECT_EQ(where.touches.size(), 1u);
  miss(*lapt, where, 1);
  EXPECT_EQ(where.touches.size(), 3u);
}

TEST(lapt, parameters_out_of_range_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "'0' is not a whole number from 1 to 16",
                      test::refusal_of("lapt", {{"cv-length", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "yes or no",
                      test::refusal_of("lapt", {{"move-to-front", "maybe"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'cv-length'?",
                      test::refusal_of("lapt", {{"cv-lenght", "4"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'zero'?",
                      test::refusal_of("lapt", {{"empty-slots", "zeros"}}));
}

RC_GTEST_PROP(sharers_vector, keeps_the_last_ids_in_order, (std::vector<std::uint8_t> inserted)) {
  sharers_vector v;
  for (const std::uint8_t id : inserted) v.insert(id, 4, false);
  std::vector<std::uint16_t> expected(
      inserted.rbegin(), inserted.rbegin() + std::min<std::ptrdiff_t>(4, std::ssize(inserted)));
  RC_ASSERT(ids_of(v) == expected);
}

RC_GTEST_PROP(sharers_vector, with_move_to_front_keeps_the_last_distinct_ids, ()) {
  const auto inserted =
      *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::inRange<std::uint16_t>(0, 7));
  sharers_vector v;
  std::vector<std::uint16_t> model;
  for (const std::uint16_t id : inserted) {
    v.insert(id, 4, true);
    std::erase(model, id);
    model.insert(model.begin(), id);
    if (model.size() > 4) model.pop_back();
  }
  RC_ASSERT(ids_of(v) == model);
}

}  // namespace
}  // namespace numatch
