// SPDX-License-Identifier: Apache-2.0
#include "mechanism/page_worth.hpp"

#include <gtest/gtest.h>

namespace numatch {
namespace {

constexpr node_id here{0};
constexpr node_id there{1};
constexpr page_prices prices{.saved = 100, .uses = 50, .cost = 12000};

node_lead lead(double most, double present, double all) {
  return {.best = most > present ? there : here, .most = most, .present = present, .all = all};
}

TEST(forecast, expects_nothing_of_what_was_never_tried) {
  const forecast none;
  EXPECT_EQ(none.of_moving(lead(4, 0, 4)).at_lead, 0);
  EXPECT_EQ(none.of_moving(lead(4, 0, 4)).at_present, 0);
}

TEST(forecast, uses_that_follow_the_lead_speak_for_it) {
  forecast learned;
  for (int i = 0; i < 36; ++i) {
    learned.note(lead(4, 0, 4), here, i < 27 ? there : here);
  }
  EXPECT_DOUBLE_EQ(learned.of_moving(lead(5, 0, 5)).at_lead, 27 / 40.0) << "and of four doubts";
  EXPECT_DOUBLE_EQ(learned.of_moving(lead(5, 0, 5)).at_present, 9 / 40.0);
}

TEST(forecast, a_clear_lead_and_a_narrow_one_are_learned_apart) {
  forecast learned;
  for (int i = 0; i < 36; ++i) learned.note(lead(4, 0, 4), here, there);
  EXPECT_GT(learned.of_moving(lead(4, 0, 4)).at_lead, 0.8);
  EXPECT_EQ(learned.of_moving(lead(2, 1, 4)).at_lead, 0);
  EXPECT_EQ(learned.of_moving(lead(1, 0, 1)).at_lead, 0) << "few samples are another class, too";
}

TEST(forecast, a_page_that_lies_with_its_lead_tells_nothing_about_moving) {
  forecast learned;
  for (int i = 0; i < 36; ++i) learned.note(lead(0, 4, 4), here, here);
  EXPECT_EQ(learned.of_moving(lead(4, 0, 4)).at_present, 0);
}

TEST(forecast, what_was_learned_long_ago_gives_way) {
  forecast learned;
  for (int i = 0; i < 100; ++i) learned.note(lead(4, 0, 4), here, there);
  learned.age(0.1);
  for (int i = 0; i < 30; ++i) learned.note(lead(4, 0, 4), here, here);
  EXPECT_LT(learned.of_moving(lead(4, 0, 4)).at_lead, learned.of_moving(lead(4, 0, 4)).at_present);
}

TEST(page_worth, a_move_gains_what_more_uses_find_at_home_less_its_cost) {
  // 8 samples, 400 uses to come, three quarters of them from there and a quarter from here.
  EXPECT_DOUBLE_EQ(gain_of_moving(lead(6, 2, 8), here, {0.75, 0.25}, prices),
                   400 * 0.5 * 100 - 12000);
  EXPECT_LT(gain_of_moving(lead(6, 2, 8), here, {0.5, 0.5}, prices), 0);
}

TEST(page_worth, a_page_that_lies_with_its_lead_gains_nothing_by_moving) {
  EXPECT_EQ(gain_of_moving(lead(0, 8, 8), here, {1, 0}, prices), 0);
}

}  // namespace
}  // namespace numatch
