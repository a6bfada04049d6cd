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

TEST(page_worth, a_move_gains_what_more_uses_find_at_home_less_its_cost) {
  // 8 samples, 400 uses to come, half of them more from there than from here.
  EXPECT_DOUBLE_EQ(gain_of_moving(lead(6, 2, 8), here, 0.5, prices), 400 * 0.5 * 100 - 12000);
  EXPECT_LT(gain_of_moving(lead(6, 2, 8), here, 0, prices), 0);
}

TEST(page_worth, a_page_that_lies_with_its_lead_gains_nothing_by_moving) {
  EXPECT_EQ(gain_of_moving(lead(0, 8, 8), here, 1, prices), 0);
}

}  // namespace
}  // namespace numatch
