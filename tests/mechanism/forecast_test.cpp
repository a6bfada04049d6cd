// SPDX-License-Identifier: Apache-2.0
#include "mechanism/forecast.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace numatch {
namespace {

constexpr node_id here{0};
constexpr node_id there{1};
constexpr node_id elsewhere{2};

node_lead lead(double most, double present, double all) {
  return {.best = most > present ? there : here, .most = most, .present = present, .all = all};
}

void note(forecast& learned, const node_lead& before, node_id user, int times) {
  for (int i = 0; i < times; ++i) learned.note(before, here, user, 1);
}

TEST(forecast, expects_nothing_of_what_was_never_tried) {
  EXPECT_EQ(forecast().advantage(lead(4, 0, 4)), 0);
}

TEST(forecast, uses_that_follow_the_lead_speak_for_it_less_doubt_and_two_deviations) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 27);
  note(learned, lead(4, 0, 4), here, 9);
  EXPECT_DOUBLE_EQ(learned.advantage(lead(4, 0, 4)), (27 - 9 - 2 * std::sqrt(36)) / 40);
}

TEST(forecast, a_few_lucky_trials_are_not_believed) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 4);
  EXPECT_LE(learned.advantage(lead(4, 0, 4)), 0);
  note(learned, lead(4, 0, 4), there, 4);
  EXPECT_GT(learned.advantage(lead(4, 0, 4)), 0);
}

TEST(forecast, uses_from_a_third_node_speak_neither_for_nor_against_but_dilute) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 36);
  const double clear = learned.advantage(lead(4, 0, 4));
  note(learned, lead(4, 0, 4), elsewhere, 36);
  EXPECT_LT(learned.advantage(lead(4, 0, 4)), clear);
  EXPECT_GT(learned.advantage(lead(4, 0, 4)), 0);
}

TEST(forecast, classes_are_learned_apart) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 100);
  EXPECT_GT(learned.advantage(lead(3.2, 0, 4)), 0) << "the same class";
  EXPECT_EQ(learned.advantage(lead(2, 0, 4)), 0) << "less far ahead";
  EXPECT_EQ(learned.advantage(lead(18, 1, 20)), 0) << "more samples";
  EXPECT_EQ(learned.advantage(lead(7, 0.5, 7.5)), 0) << "the present node has a past with it";
  EXPECT_EQ(learned.advantage(lead(1, 0, 1)), 0) << "fewer samples";
}

TEST(forecast, a_page_that_lies_with_its_lead_tells_nothing_about_moving) {
  forecast learned;
  note(learned, lead(0, 4, 4), there, 100);
  EXPECT_EQ(learned.advantage(lead(0, 4, 4)), 0);
}

TEST(forecast, a_page_without_samples_tells_nothing) {
  forecast learned;
  note(learned, lead(0, 0, 0), there, 100);
  EXPECT_EQ(learned.advantage(lead(0, 0, 0)), 0);
}

TEST(forecast, uses_that_are_waited_for_count_more) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 50);
  for (int i = 0; i < 100; ++i) learned.note(lead(4, 0, 4), here, here, 0.1);
  EXPECT_NEAR(learned.advantage(lead(4, 0, 4)), (50 - 10 - 2 * std::sqrt(60)) / 64, 1e-12);
}

TEST(forecast, what_was_learned_long_ago_gives_way) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 10'000);
  for (int i = 0; i < 10; ++i) learned.age();
  note(learned, lead(4, 0, 4), here, 1000);
  EXPECT_LT(learned.advantage(lead(4, 0, 4)), 0);
}

TEST(forecast, few_trials_are_kept) {
  forecast learned;
  note(learned, lead(4, 0, 4), there, 100);
  const double before = learned.advantage(lead(4, 0, 4));
  for (int i = 0; i < 10; ++i) learned.age();
  EXPECT_EQ(learned.advantage(lead(4, 0, 4)), before);
}

RC_GTEST_PROP(forecast, an_advantage_is_a_difference_of_shares, ()) {
  forecast learned;
  const auto users =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 3));
  for (const std::uint32_t user : users) learned.note(lead(4, 0, 4), here, node_id(user), 1);
  RC_ASSERT(learned.advantage(lead(4, 0, 4)) < 1);
  RC_ASSERT(learned.advantage(lead(4, 0, 4)) > -2);
}

}  // namespace
}  // namespace numatch
