// SPDX-License-Identifier: Apache-2.0
// EP, "embarrassingly parallel" (RNR-94-007, section 2.2.1): pairs of normally distributed numbers
// by the polar method, counted by the square ring in which they lie. Threads share nothing until
// their sums are added up.
#include <algorithm>
#include <array>
#include <cmath>

#include "npb/common/array.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/random.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/verification.hpp"

namespace {

constexpr std::uint64_t seed = 271828183;
constexpr std::size_t batch_pairs = std::size_t{1} << 16;
constexpr std::size_t rings = 10;

struct tally {
  double x = 0;
  double y = 0;
  std::array<double, rings> in_ring{};
};

/// Draws the numbers of one batch into `numbers`, and then uses them, as the benchmark's versions
/// do.
void add_batch(std::size_t batch, double* numbers, tally& to) {
  npb::random_numbers random(seed);
  random.skip(2 * batch_pairs * batch);
  for (std::size_t i = 0; i < 2 * batch_pairs; ++i) numbers[i] = 2 * random.next() - 1;
  for (std::size_t i = 0; i < batch_pairs; ++i) {
    const double x = numbers[2 * i];
    const double y = numbers[2 * i + 1];
    const double t = x * x + y * y;
    if (t > 1) continue;
    const double scale = std::sqrt(-2 * std::log(t) / t);
    to.x += x * scale;
    to.y += y * scale;
    ++to.in_ring[static_cast<std::size_t>(std::max(std::fabs(x * scale), std::fabs(y * scale)))];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "ep");
  const std::size_t batches = (std::size_t{1} << of.of(24, 25, 28)) / batch_pairs;
  const npb::array<double> numbers(of, "ep numbers", of.threads * 2 * batch_pairs);
  npb::all_sum sum(of.threads);
  tally total;
  workload::on_all_threads(of.threads, [&](unsigned me) {
    double* const own = numbers.data() + me * 2 * batch_pairs;
    std::fill_n(own, 2 * batch_pairs, 0.0);
    workload::measure(me, "ep", workload::omp_wait, [&, me] {
      tally part;
      const npb::range mine = npb::part_of({0, batches}, me, of.threads);
      for (std::size_t batch = mine.first; batch < mine.last; ++batch) add_batch(batch, own, part);
      unsigned turn = 0;
      const double x = sum(me, turn, part.x);
      const double y = sum(me, turn, part.y);
      for (std::size_t ring = 0; ring < rings; ++ring) {
        const double count = sum(me, turn, part.in_ring[ring]);
        if (me == 0) total.in_ring[ring] = count;
      }
      if (me == 0) total.x = x;
      if (me == 0) total.y = y;
    });
    return std::size_t{0};
  });
  for (std::size_t ring = 0; ring < rings; ++ring) {
    std::printf("  %-24s %.0f\n", ring == 0 ? "pairs in square rings" : "", total.in_ring[ring]);
  }
  npb::verification verify(of);
  verify.check("sum of x", total.x,
               of.of(-3.247834652034740e+3, -2.863319731645753e+3, -4.295875165629892e+3), 1e-8);
  verify.check("sum of y", total.y,
               of.of(-6.958407078382297e+3, -6.320053679109499e+3, -1.580732573678431e+4), 1e-8);
  return verify.result();
}
