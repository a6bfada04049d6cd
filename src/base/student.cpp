// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#include "base/student.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace numatch {

namespace {

double away_from_zero(double value) {
  constexpr double least = 1e-300;
  return std::abs(value) < least ? least : value;
}

/// Continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr int most_terms = 1000;
  constexpr double close_enough = 1e-15;
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m <= most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::abs(c * d - 1) < close_enough) break;
  }
  return fraction;
}

/// The regularised incomplete beta function, 0 <= x <= 1.
double beta_share(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  // The fraction converges fast below the distribution's mean; above it the mirror image does.
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_share(b, a, 1 - x);
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return front * beta_fraction(a, b, x) / a;
}

struct moments {
  double count = 0;
  double mean = 0;
  double variance = 0;
};

moments moments_of(std::span<const double> values) {
  if (values.size() < 2) throw std::invalid_argument("a spread needs two values");
  moments found;
  found.count = static_cast<double>(values.size());
  found.mean = std::accumulate(values.begin(), values.end(), 0.0) / found.count;
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  found.variance = squares / (found.count - 1);
  return found;
}

/// Degrees of freedom of a sum of two variances of means (Welch and Satterthwaite).
double joint_degrees(double first, double first_count, double second, double second_count) {
  const double sum = first + second;
  return sum * sum / (first * first / (first_count - 1) + second * second / (second_count - 1));
}

}  // namespace

double student_tail(double t, double degrees) {
  return beta_share(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double confidence, double degrees) {
  if (!(confidence > 0 && confidence < 1) || !(degrees > 0)) {
    throw std::invalid_argument("student_quantile: out of range");
  }
  double low = 0;
  double high = 1;
  while (student_tail(high, degrees) > 1 - confidence) high *= 2;
  for (int step = 0; step < 200 && low < high; ++step) {
    const double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    (student_tail(middle, degrees) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

mean_estimate estimate_mean(std::span<const double> values, double confidence) {
  const moments found = moments_of(values);
  mean_estimate estimate;
  estimate.values = values.size();
  estimate.mean = found.mean;
  estimate.deviation = std::sqrt(found.variance);
  estimate.half_width =
      student_quantile(confidence, found.count - 1) * std::sqrt(found.variance / found.count);
  return estimate;
}

std::optional<ratio_estimate> estimate_ratio(std::span<const double> values,
                                             std::span<const double> base, double confidence) {
  const moments a = moments_of(values);
  const moments b = moments_of(base);
  if (!(a.mean > 0) || !(b.mean > 0)) return std::nullopt;
  const double a_error = a.variance / a.count;
  const double b_error = b.variance / b.count;
  ratio_estimate estimate;
  estimate.ratio = a.mean / b.mean;
  estimate.low = estimate.ratio;
  estimate.high = estimate.ratio;
  if (a_error + b_error == 0) return estimate;
  const double t = student_quantile(confidence, joint_degrees(a_error, a.count, b_error, b.count));
  // The ratios r for which a - r b does not differ from 0: a quadratic inequality.
  const double square = b.mean * b.mean - t * t * b_error;
  if (square <= 0) {
    estimate.low = 0;
    estimate.high = std::numeric_limits<double>::infinity();
    return estimate;
  }
  const double root = t * std::sqrt(a.mean * a.mean * b_error + a_error * square);
  estimate.low = std::max(0.0, (a.mean * b.mean - root) / square);
  estimate.high = (a.mean * b.mean + root) / square;
  return estimate;
}

double welch_probability(std::span<const double> first, std::span<const double> second) {
  const moments a = moments_of(first);
  const moments b = moments_of(second);
  const double a_error = a.variance / a.count;
  const double b_error = b.variance / b.count;
  if (a_error + b_error == 0) return a.mean == b.mean ? 1 : 0;
  const double t = (a.mean - b.mean) / std::sqrt(a_error + b_error);
  return student_tail(t, joint_degrees(a_error, a.count, b_error, b.count));
}

std::vector<double> holm_corrected(std::span<const double> probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return probabilities[a] < probabilities[b];
  });
  std::vector<double> corrected(probabilities.size());
  double so_far = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double tests_left = static_cast<double>(order.size() - rank);
    so_far = std::max(so_far, std::min(1.0, tests_left * probabilities[order[rank]]));
    corrected[order[rank]] = so_far;
  }
  return corrected;
}

}  // namespace numatch
