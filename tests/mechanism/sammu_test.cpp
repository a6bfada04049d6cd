// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fake_world.hpp"
#include "mechanism/sammu_tables.hpp"

namespace numatch {
namespace {

using test::fake_world;
using test::make_mechanism;
using testing::IsSubstring;

constexpr std::uint64_t M = 1 << 20;

void evict(mechanism& sammu, fake_world& where, std::uint32_t thread, std::uint64_t accesses,
           bool saturated = false, std::uint64_t page = 5) {
  sammu.on_tlb_evict({thread_id(thread), page_number(page), accesses, saturated, {}}, where);
}

/// A page with AT 16 M and SV 4, 7, as in the example of section 2.5.
std::unique_ptr<mechanism> example_page(fake_world& where, const char* rule) {
  auto sammu =
      make_mechanism("sammu", {{"counter-max", std::to_string(32 * M)}, {"threshold-rule", rule}});
  evict(*sammu, where, 7, 0);
  evict(*sammu, where, 4, 32 * M);  // AT (0 + 32 M) / 2
  return sammu;
}

TEST(sammu, the_worked_example_of_section_2_5_counts_thread_3_with_4_and_7) {
  fake_world where;
  const auto sammu = example_page(where, "eq3");
  const sharing_matrix before = sammu->sharing();
  evict(*sammu, where, 3, 32 * M, true);
  const sharing_matrix after = sammu->sharing();
  EXPECT_EQ(after.at(3, 4), 1);
  EXPECT_EQ(after.at(3, 7), 1);
  EXPECT_EQ(after.total() - before.total(), 2);
}

TEST(sammu, the_worked_example_drops_thread_7_from_the_vector) {
  fake_world where;
  const auto sammu = example_page(where, "eq3");
  evict(*sammu, where, 3, 32 * M, true);
  evict(*sammu, where, 6, 32 * M);
  EXPECT_EQ(sammu->sharing().at(6, 3), 1);
  EXPECT_EQ(sammu->sharing().at(6, 4), 1);
  EXPECT_EQ(sammu->sharing().at(6, 7), 0);
}

TEST(sammu, the_worked_example_raises_the_threshold_to_24_M) {
  fake_world where;
  const auto sammu = example_page(where, "eq3");
  evict(*sammu, where, 3, 32 * M, true);
  evict(*sammu, where, 1, 24 * M - 1);  // below 24 M: no statistics
  EXPECT_EQ(sammu->sharing().at(1, 3), 0);
  EXPECT_EQ(sammu::raised_threshold(16 * M, 32 * M), 24 * M);
}

TEST(sammu, with_4_M_accesses_the_worked_example_lowers_the_threshold_to_13_M_and_counts_nothing) {
  fake_world where;
  const auto sammu = example_page(where, "eq3");
  const sharing_matrix before = sammu->sharing();
  evict(*sammu, where, 3, 4 * M);
  EXPECT_EQ(sammu->sharing().total(), before.total());
  EXPECT_EQ(sammu::lowered_threshold_exact(16 * M, 4 * M), 13 * M);
  evict(*sammu, where, 2, 13 * M);  // reaches 13 M exactly
  EXPECT_EQ(sammu->sharing().at(2, 4), 1);
  EXPECT_EQ(sammu->sharing().at(2, 3), 0);
}

TEST(sammu, the_worked_example_notifies_of_a_move_to_node_1) {
  const sammu::node_rule rule{.counter_max = 15, .v_add = 2, .threshold = 4};
  std::vector<std::uint32_t> nc{3, 4, 1, 0};
  EXPECT_FALSE(sammu::notifies(nc, node_id(1), node_id(0), rule));
  sammu::count_node(nc, node_id(1), rule);
  EXPECT_EQ(nc, (std::vector<std::uint32_t>{2, 6, 0, 0}));
  EXPECT_TRUE(sammu::notifies(nc, node_id(1), node_id(0), rule));
  EXPECT_FALSE(sammu::notifies(nc, node_id(1), node_id(1), rule));
}

TEST(sammu, node_counters_saturate_at_both_ends) {
  const sammu::node_rule rule;
  std::vector<std::uint32_t> nc{0, 14};
  sammu::count_node(nc, node_id(1), rule);
  EXPECT_EQ(nc, (std::vector<std::uint32_t>{0, 15}));
}

TEST(sammu, two_nodes_that_use_a_page_alike_rise_above_the_others_when_v_add_is_2) {
  std::vector<std::uint32_t> nc(4);
  for (int i = 0; i < 20; ++i) sammu::count_node(nc, node_id(i % 2), {.v_add = 2});
  EXPECT_GT(nc[0], 5u);
  EXPECT_GT(nc[1], 5u);
  EXPECT_EQ(nc[2], 0u);
  std::vector<std::uint32_t> with_one(4);
  for (int i = 0; i < 20; ++i) sammu::count_node(with_one, node_id(i % 2), {.v_add = 1});
  EXPECT_LE(with_one[0] + with_one[1], 1u);  // section 2.4.1: not detected
}

TEST(sammu, eq_7_comes_close_to_halving_the_threshold) {
  EXPECT_EQ(sammu::lowered_threshold_shift(511, 256), 256u);
}

TEST(sammu, eq_7_equals_eq_3_at_powers_of_two) {
  EXPECT_EQ(sammu::lowered_threshold_shift(16 * M, 4 * M), 13 * M);
}

TEST(sammu, an_entry_without_accesses_leaves_the_threshold_alone) {
  EXPECT_EQ(sammu::lowered_threshold_shift(1000, 0), 1000u);
  EXPECT_EQ(sammu::lowered_threshold_exact(1000, 0), 1000u);
}

RC_GTEST_PROP(sammu, eq_3_never_lowers_a_threshold_by_more_than_a_quarter, ()) {
  const auto at = *rc::gen::inRange<std::uint64_t>(1, 0xffffffff);
  const auto ac = *rc::gen::inRange<std::uint64_t>(0, at);
  const std::uint64_t next = sammu::lowered_threshold_exact(at, ac);
  RC_ASSERT(next <= at);
  RC_ASSERT(4 * next >= 3 * at);
}

RC_GTEST_PROP(sammu, eq_7_keeps_a_threshold_above_the_count_and_above_half, ()) {
  const auto at = *rc::gen::inRange<std::uint64_t>(1, 0xffffffff);
  const auto ac = *rc::gen::inRange<std::uint64_t>(0, at);
  const std::uint64_t next = sammu::lowered_threshold_shift(at, ac);
  RC_ASSERT(next <= at);
  RC_ASSERT(next >= ac);
  RC_ASSERT(2 * next >= at);
}

RC_GTEST_PROP(sammu, eq_1_stays_between_the_threshold_and_the_count, ()) {
  const auto at = *rc::gen::inRange<std::uint64_t>(0, 0xffffffff);
  const auto ac = *rc::gen::inRange<std::uint64_t>(at, std::uint64_t{0xffffffff} + 1);
  RC_ASSERT(sammu::raised_threshold(at, ac) >= at);
  RC_ASSERT(sammu::raised_threshold(at, ac) <= ac);
}

TEST(sammu, the_default_threshold_rule_is_the_hardwares) {
  fake_world where;
  const auto sammu = make_mechanism("sammu");
  evict(*sammu, where, 0, 1022);  // AT 511
  evict(*sammu, where, 1, 256);   // Eq. 7: 256; Eq. 3 would give 383
  evict(*sammu, where, 2, 300);
  EXPECT_EQ(sammu->sharing().at(2, 0), 1);
}

TEST(sammu, the_sensor_saturates_at_32_bits_and_starts_again) {
  EXPECT_EQ(make_mechanism("sammu")->sensors().counter_max, 0xffffffffu);
  EXPECT_TRUE(make_mechanism("sammu")->sensors().reset_on_saturation);
  EXPECT_FALSE(
      make_mechanism("sammu", {{"after-saturation", "hold"}})->sensors().reset_on_saturation);
}

TEST(sammu, pages_do_not_mix) {
  fake_world where;
  const auto sammu = make_mechanism("sammu");
  evict(*sammu, where, 0, 10, false, 1);
  evict(*sammu, where, 1, 10, false, 2);
  EXPECT_EQ(sammu->sharing().total(), 0);
}

TEST(sammu, parameters_out_of_range_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "from 1 to 4294967295",
                      test::refusal_of("sammu", {{"counter-max", "4294967296"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "from 1 to 16",
                      test::refusal_of("sammu", {{"sv-length", "17"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter threshold-rule: unknown word 'eq9'",
                      test::refusal_of("sammu", {{"threshold-rule", "eq9"}}));
}

}  // namespace
}  // namespace numatch
