// SPDX-License-Identifier: Apache-2.0
// Stencil: a 5-point average on a grid whose rows are eight pages long; every thread owns a band of
// rows and reads one row of each neighbour. The start is an eigenvector of the average, so the
// result after k iterations is known: the start times the k-th power of its eigenvalue.
#include <cmath>
#include <utility>

#include "common/annotations.hpp"
#include "common/crew.hpp"
#include "common/options.hpp"
#include "common/pages.hpp"

namespace {

constexpr std::size_t row_pages = 8;
constexpr std::size_t columns = row_pages * workload::page_words;
constexpr double pi = 3.14159265358979323846;

double first_value(std::size_t row, std::size_t column, double row_angle) {
  return std::sin(static_cast<double>(row) * row_angle) *
         std::sin(static_cast<double>(column) * pi / (columns - 1));
}

/// One thread's whole work on rows first to last - 1 of `rows` inner rows; rows 0 and rows + 1 are
/// the edge. Returns the number of wrong values.
[[gnu::noinline]] std::size_t work(unsigned me, volatile double* even, volatile double* odd,
                                   std::size_t rows, std::size_t first, std::size_t last,
                                   unsigned iterations) {
  const double row_angle = pi / static_cast<double>(rows + 1);
  const std::size_t init_first = first == 1 ? 0 : first;
  const std::size_t init_last = last == rows + 1 ? last + 1 : last;
  for (std::size_t row = init_first; row < init_last; ++row) {
    for (std::size_t c = 0; c < columns; ++c) {
      const bool edge = row == 0 || row == rows + 1 || c == 0 || c == columns - 1;
      even[row * columns + c] = edge ? 0 : first_value(row, c, row_angle);
      odd[row * columns + c] = 0;
    }
  }
  workload::measure(me, "stencil", workload::omp_wait, [=] {
    const volatile double* from = even;
    volatile double* to = odd;
    volatile double* next = even;
    for (unsigned k = 0; k < iterations; ++k) {
      for (std::size_t row = first; row < last; ++row) {
        const volatile double* const in = from + row * columns;
        const volatile double* const above = in - columns;
        const volatile double* const below = in + columns;
        for (std::size_t c = 1; c + 1 < columns; ++c) {
          to[row * columns + c] = (above[c] + below[c] + in[c - 1] + in[c] + in[c + 1]) / 5;
        }
      }
      workload::omp_wait();
      from = to;
      std::swap(to, next);
    }
  });
  const double shrink = (1 + 2 * std::cos(row_angle) + 2 * std::cos(pi / (columns - 1))) / 5;
  const double power = std::pow(shrink, iterations);
  const volatile double* const is = iterations % 2 == 0 ? even : odd;
  std::size_t wrong = 0;
  for (std::size_t row = first; row < last; ++row) {
    for (std::size_t c = 1; c + 1 < columns; ++c) {
      const double expected = power * first_value(row, c, row_angle);
      if (!(std::fabs(is[row * columns + c] - expected) < 1e-9)) ++wrong;
    }
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const workload::description about{"stencil", "rows per thread", {8, 4, 20}, 1, 2};
  const workload::options chosen = workload::parse(argc, argv, about);
  const std::size_t rows = chosen.threads * chosen.size;
  const workload::pages<double> even(chosen, "stencil even", (rows + 2) * row_pages);
  const workload::pages<double> odd(chosen, "stencil odd", (rows + 2) * row_pages);
  const std::size_t wrong = workload::on_all_threads(chosen.threads, [&](unsigned me) {
    return work(me, even.page(0), odd.page(0), rows, 1 + me * chosen.size,
                1 + (me + 1) * chosen.size, chosen.iterations);
  });
  return workload::report(about, chosen, wrong);
}
