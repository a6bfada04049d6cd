// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

// Student's t: means with their uncertainty, and whether two of them differ. W. S. Gosset
// ("Student"), The probable error of a mean, 1908; E. C. Fieller, 1954; B. L. Welch, 1947; S. Holm,
// 1979. Thread safe.

namespace numatch {

/// Probability that |t| of Student's distribution with `degrees` > 0 of freedom is at least |t|.
double student_tail(double t, double degrees);
/// The t that |t| exceeds with probability 1 - confidence; 0 < confidence < 1.
double student_quantile(double confidence, double degrees);

/// A mean of independent values; the true one lies within half_width with the confidence asked for.
struct mean_estimate {
  std::size_t values = 0;
  double mean = 0;
  double deviation = 0;  ///< of the sample, with n - 1
  double half_width = 0;
};

/// Needs two values or more: fewer say nothing about their spread (std::invalid_argument).
mean_estimate estimate_mean(std::span<const double> values, double confidence = 0.95);

/// How many times the mean of a base another mean is.
struct ratio_estimate {
  double ratio = 1;
  double low = 1;
  double high = 1;
};

/// Fieller's interval with Welch's degrees of freedom: it holds 1 where Welch's test finds no
/// difference. A base that could be 0 gives 0 to infinity. nullopt where a mean is not above 0.
/// Both have two values or more.
std::optional<ratio_estimate> estimate_ratio(std::span<const double> values,
                                             std::span<const double> base,
                                             double confidence = 0.95);

/// Welch's test: the probability of means at least as far apart if the true ones were equal;
/// variances and numbers of values may differ. Both have two values or more.
double welch_probability(std::span<const double> a, std::span<const double> b);

/// Holm's correction: what probabilities of several tests have to be so that "any of them below 5 %
/// by chance" stays below 5 %. In the order given.
std::vector<double> holm_corrected(std::span<const double> probabilities);

}  // namespace numatch
