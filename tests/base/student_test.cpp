// SPDX-License-Identifier: Apache-2.0
#include "base/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace numatch {
namespace {

TEST(Student, QuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.7062, 1e-4);
  EXPECT_NEAR(student_quantile(0.95, 9), 2.2622, 1e-4);
  EXPECT_NEAR(student_quantile(0.95, 29), 2.0452, 1e-4);
  EXPECT_NEAR(student_quantile(0.99, 4), 4.6041, 1e-4);
  EXPECT_NEAR(student_quantile(0.95, 1e6), 1.95997, 1e-5);
}

TEST(Student, TailsOfOneAndTwoDegreesHaveClosedForms) {
  for (const double t : {0.0, 0.3, 1.0, 5.0, 40.0}) {
    EXPECT_NEAR(student_tail(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-12);
    EXPECT_NEAR(student_tail(t, 2), 1 - t / std::sqrt(2 + t * t), 1e-12);
    EXPECT_EQ(student_tail(-t, 2), student_tail(t, 2));
  }
}

TEST(Student, AQuantileOutOfRangeIsRefused) {
  EXPECT_THROW(student_quantile(1, 3), std::invalid_argument);
  EXPECT_THROW(student_quantile(0.95, 0), std::invalid_argument);
}

TEST(EstimateMean, KnowsTheTextbookSample) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const mean_estimate estimate = estimate_mean(values);
  EXPECT_EQ(estimate.values, 8U);
  EXPECT_DOUBLE_EQ(estimate.mean, 5);
  EXPECT_NEAR(estimate.deviation, std::sqrt(32.0 / 7), 1e-12);
  EXPECT_NEAR(estimate.half_width, 2.364624 * std::sqrt(32.0 / 7 / 8), 1e-5);
}

TEST(EstimateMean, RefusesASingleValue) {
  const std::vector<double> one{1};
  EXPECT_THROW(estimate_mean(one), std::invalid_argument);
}

TEST(EstimateRatio, IsWideWhereTheValuesSpread) {
  const std::vector<double> base{10, 10, 10, 10};
  const std::vector<double> steady{5, 5, 5, 5};
  const std::vector<double> spread{4, 6, 5, 5};
  const std::optional<ratio_estimate> exact = estimate_ratio(steady, base);
  ASSERT_TRUE(exact);
  EXPECT_DOUBLE_EQ(exact->low, 0.5);
  EXPECT_DOUBLE_EQ(exact->high, 0.5);
  const std::optional<ratio_estimate> wide = estimate_ratio(spread, base);
  ASSERT_TRUE(wide);
  EXPECT_DOUBLE_EQ(wide->ratio, 0.5);
  // The base does not vary: three degrees of freedom, error of the mean sqrt(2/3/4).
  const double reach = 3.182446 * std::sqrt(2.0 / 3 / 4) / 10;
  EXPECT_NEAR(wide->low, 0.5 - reach, 1e-6);
  EXPECT_NEAR(wide->high, 0.5 + reach, 1e-6);
}

TEST(EstimateRatio, HoldsOneExactlyWhereWelchFindsNoDifference) {
  std::size_t differ = 0;
  for (int shift = 0; shift < 40; ++shift) {
    const std::vector<double> base{10, 11, 9, 10.5, 9.2};
    std::vector<double> values{9, 12, 10, 11};
    for (double& value : values) value += shift * 0.1;
    const std::optional<ratio_estimate> ratio = estimate_ratio(values, base);
    ASSERT_TRUE(ratio);
    const bool holds_one = ratio->low <= 1 && 1 <= ratio->high;
    EXPECT_EQ(holds_one, welch_probability(values, base) >= 0.05) << shift;
    if (!holds_one) ++differ;
  }
  EXPECT_GT(differ, 5U);
  EXPECT_LT(differ, 35U);
}

TEST(EstimateRatio, ABaseThatCouldBeZeroAllowsAnyRatio) {
  const std::vector<double> base{0.1, 5};
  const std::vector<double> values{2, 2.1};
  const std::optional<ratio_estimate> ratio = estimate_ratio(values, base);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->low, 0);
  EXPECT_TRUE(std::isinf(ratio->high));
}

TEST(EstimateRatio, NeedsMeansAboveZero) {
  const std::vector<double> none{0, 0};
  const std::vector<double> some{1, 2};
  EXPECT_FALSE(estimate_ratio(some, none));
  EXPECT_FALSE(estimate_ratio(none, some));
}

TEST(Welch, KnowsAWorkedExample) {
  // t = -1 with 48 x 144 / 1202 degrees of freedom; the tail by Simpson's rule.
  const std::vector<double> a{18, 20, 20, 24};
  const std::vector<double> b{18, 23, 24, 25};
  EXPECT_NEAR(welch_probability(a, b), 0.3575139042, 1e-9);
}

TEST(Welch, SeparatesDistantMeansAndNotEqualOnes) {
  const std::vector<double> a{1.00, 1.01, 0.99, 1.00, 1.02};
  const std::vector<double> b{1.50, 1.49, 1.51, 1.50, 1.52};
  EXPECT_LT(welch_probability(a, b), 1e-9);
  EXPECT_DOUBLE_EQ(welch_probability(a, a), 1);
}

TEST(Welch, ValuesWithoutSpreadAreEqualOrNot) {
  const std::vector<double> one{3, 3};
  const std::vector<double> other{4, 4};
  EXPECT_EQ(welch_probability(one, one), 1);
  EXPECT_EQ(welch_probability(one, other), 0);
}

TEST(Holm, CorrectsForTheNumberOfTestsInOrder) {
  const std::vector<double> corrected = holm_corrected(std::vector<double>{0.04, 0.01, 0.03});
  ASSERT_EQ(corrected.size(), 3U);
  EXPECT_DOUBLE_EQ(corrected[1], 0.03);
  EXPECT_DOUBLE_EQ(corrected[2], 0.06);
  EXPECT_DOUBLE_EQ(corrected[0], 0.06);
  EXPECT_TRUE(holm_corrected({}).empty());
}

}  // namespace
}  // namespace numatch
