// SPDX-License-Identifier: Apache-2.0
// FT, "3-D Fourier transform" (RNR-94-007, section 2.2.4): a partial differential equation that is
// solved where it is a product, in Fourier space. Threads own planes for transforms along x and y,
// and rows of all planes for those along z, so that everybody reads from everybody.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "npb/common/array.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/random.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/verification.hpp"

namespace {

constexpr unsigned steps = 6;
constexpr std::size_t samples = 1024;
constexpr std::size_t lines = 16;  // transformed together, so that whole cache lines are used
constexpr double pi = 3.14159265358979323846;

struct number {
  double re;
  double im;
};

struct shape {
  std::array<std::size_t, 3> n;  // points along x, y, z
  std::size_t points() const { return n[0] * n[1] * n[2]; }
};

using checksums = std::array<std::complex<double>, steps>;

/// Transforms `lines` lines of equal length at once: element i of line l is at(i * lines + l).
class transformer {
 public:
  explicit transformer(std::size_t longest) : turns_(longest), other_(longest * lines) {
    for (std::size_t i = 0; i < longest; ++i) {
      const double angle = 2 * pi * static_cast<double>(i) / static_cast<double>(longest);
      turns_[i] = {std::cos(angle), std::sin(angle)};
    }
  }

  /// The sum over i of x_i e^(sign 2 pi i k / n) for all k, by Stockham's method: no step moves
  /// elements back, they come out in order. n is a power of 2 and not above `longest`.
  void run(number* at, std::size_t n, double sign) {
    number* from = at;
    number* to = other_.data();
    std::size_t half = n / 2;
    for (std::size_t block = 1; half >= 1; half /= 2, block *= 2) {
      for (std::size_t j = 0; j < half; ++j) {
        const number& turn = turns_[j * (turns_.size() / n) * block];
        combine(from, to, j, half, block, {turn.re, sign * turn.im});
      }
      std::swap(from, to);
    }
    if (from != at) std::copy_n(from, n * lines, at);
  }

 private:
  static void combine(const number* from, number* to, std::size_t j, std::size_t half,
                      std::size_t block, number turn) {
    const std::size_t width = block * lines;
    const number* const a = from + j * width;
    const number* const b = from + (j + half) * width;
    number* const sum = to + 2 * j * width;
    number* const difference = sum + width;
    for (std::size_t i = 0; i < width; ++i) {
      const number x = a[i];
      const number y = b[i];
      const number d{x.re - y.re, x.im - y.im};
      sum[i] = {x.re + y.re, x.im + y.im};
      difference[i] = {d.re * turn.re - d.im * turn.im, d.re * turn.im + d.im * turn.re};
    }
  }

  std::vector<number> turns_;
  std::vector<number> other_;
};

/// One thread's work; all threads call the same functions together.
class worker {
 public:
  worker(const shape& size, number* start, number* now, double* decay, npb::all_sum& sum,
         unsigned me, unsigned threads)
      : size_(size),
        start_(start),
        now_(now),
        decay_(decay),
        sum_(sum),
        me_(me),
        planes_(npb::part_of({0, size.n[2]}, me, threads)),
        rows_(npb::part_of({0, size.n[1]}, me, threads)),
        transform_(std::max({size.n[0], size.n[1], size.n[2]})),
        scratch_(lines * std::max({size.n[0], size.n[1], size.n[2]})) {}

  /// Random start values, and by how much each frequency decays in a step.
  void initialise() {
    constexpr double alpha = 1e-6;
    npb::random_numbers random(314159265);
    random.skip(2 * planes_.first * size_.n[0] * size_.n[1]);
    for (std::size_t k = planes_.first; k < planes_.last; ++k) {
      for (std::size_t j = 0; j < size_.n[1]; ++j) {
        for (std::size_t i = 0; i < size_.n[0]; ++i) {
          const double re = random.next();
          now_[at(i, j, k)] = {re, random.next()};
          const double square = frequency(0, i) + frequency(1, j) + frequency(2, k);
          decay_[at(i, j, k)] = std::exp(-4 * alpha * pi * pi * square);
        }
      }
    }
    workload::omp_wait();
  }

  void to_frequencies() {
    along_z(-1);
    workload::omp_wait();
    along_y(-1);
    along_x(start_, -1);
  }

  /// One more step of decay, and the state back in space.
  void step() {
    for (std::size_t i = at(0, 0, planes_.first); i < at(0, 0, planes_.last); ++i) {
      start_[i].re *= decay_[i];
      start_[i].im *= decay_[i];
      now_[i] = start_[i];
    }
    along_x(now_, 1);
    along_y(1);
    workload::omp_wait();
    along_z(1);
    workload::omp_wait();
  }

  /// The sum of 1024 points of the state, j, 3j and 5j along x, y and z.
  std::complex<double> checksum() {
    std::complex<double> part;
    for (std::size_t s = 1; s <= samples; ++s) {
      const std::size_t k = 5 * s % size_.n[2];
      if (k < planes_.first || k >= planes_.last) continue;
      const number& value = now_[at(s % size_.n[0], 3 * s % size_.n[1], k)];
      part += std::complex<double>(value.re, value.im);
    }
    const double points = static_cast<double>(size_.points());
    const double re = sum_(me_, turn_, part.real()) / points;
    return {re, sum_(me_, turn_, part.imag()) / points};
  }

 private:
  std::size_t at(std::size_t i, std::size_t j, std::size_t k) const {
    return (k * size_.n[1] + j) * size_.n[0] + i;
  }

  /// The square of the frequency that index i along a dimension stands for.
  double frequency(std::size_t dimension, std::size_t i) const {
    const std::size_t n = size_.n[dimension];
    const double f = static_cast<double>(i) - (i >= n / 2 ? static_cast<double>(n) : 0);
    return f * f;
  }

  /// Transforms `lines` lines of n elements from `from` to `to`; an element is `stride` from the
  /// next one of its line, a line `apart` from the next.
  void transform(const number* from, number* to, std::size_t n, std::size_t stride,
                 std::size_t apart, double sign) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t l = 0; l < lines; ++l) {
        scratch_[i * lines + l] = from[i * stride + l * apart];
      }
    }
    transform_.run(scratch_.data(), n, sign);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t l = 0; l < lines; ++l) {
        to[i * stride + l * apart] = scratch_[i * lines + l];
      }
    }
  }

  void along_x(number* to, double sign) {
    for (std::size_t k = planes_.first; k < planes_.last; ++k) {
      for (std::size_t j = 0; j < size_.n[1]; j += lines) {
        const std::size_t first = at(0, j, k);
        transform(now_ + first, to + first, size_.n[0], 1, size_.n[0], sign);
      }
    }
  }

  void along_y(double sign) {
    for (std::size_t k = planes_.first; k < planes_.last; ++k) {
      for (std::size_t i = 0; i < size_.n[0]; i += lines) {
        number* const first = now_ + at(i, 0, k);
        transform(first, first, size_.n[1], size_.n[0], 1, sign);
      }
    }
  }

  void along_z(double sign) {
    for (std::size_t j = rows_.first; j < rows_.last; ++j) {
      for (std::size_t i = 0; i < size_.n[0]; i += lines) {
        number* const first = now_ + at(i, j, 0);
        transform(first, first, size_.n[2], size_.n[0] * size_.n[1], 1, sign);
      }
    }
  }

  const shape& size_;
  number* start_;
  number* now_;
  double* decay_;
  npb::all_sum& sum_;
  unsigned me_;
  npb::range planes_;
  npb::range rows_;
  transformer transform_;
  std::vector<number> scratch_;
  unsigned turn_ = 0;
};

constexpr checksums for_s{{{5.546087004964e+02, 4.845363331978e+02},
                           {5.546385409189e+02, 4.865304269511e+02},
                           {5.546148406171e+02, 4.883910722336e+02},
                           {5.545423607415e+02, 4.901273169046e+02},
                           {5.544255039624e+02, 4.917475857993e+02},
                           {5.542683411902e+02, 4.932597244941e+02}}};
constexpr checksums for_w{{{5.673612178944e+02, 5.293246849175e+02},
                           {5.631436885271e+02, 5.282149986629e+02},
                           {5.594024089970e+02, 5.270996558037e+02},
                           {5.560698047020e+02, 5.260027904925e+02},
                           {5.530898991250e+02, 5.249400845633e+02},
                           {5.504159734538e+02, 5.239212247086e+02}}};
constexpr checksums for_a{{{5.046735008193e+02, 5.114047905510e+02},
                           {5.059412319734e+02, 5.098809666433e+02},
                           {5.069376896287e+02, 5.098144042213e+02},
                           {5.077892868474e+02, 5.101336130759e+02},
                           {5.085233095391e+02, 5.104914655194e+02},
                           {5.091487099959e+02, 5.107917842803e+02}}};

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "ft");
  const shape size = of.of<shape>({{64, 64, 64}}, {{128, 128, 32}}, {{256, 256, 128}});
  const npb::array<number> start(of, "ft frequencies", size.points());
  const npb::array<number> now(of, "ft state", size.points());
  const npb::array<double> decay(of, "ft decay", size.points());
  npb::all_sum sum(of.threads);
  checksums found{};
  workload::on_all_threads(of.threads, [&](unsigned me) {
    worker own(size, start.data(), now.data(), decay.data(), sum, me, of.threads);
    own.initialise();
    own.to_frequencies();
    workload::measure(me, "ft", workload::omp_wait, [&] {
      own.initialise();
      own.to_frequencies();
      for (unsigned s = 0; s < steps; ++s) {
        own.step();
        const std::complex<double> value = own.checksum();
        if (me == 0) found[s] = value;
      }
    });
    return std::size_t{0};
  });
  npb::verification verify(of);
  const checksums& official = of.of(for_s, for_w, for_a);
  for (std::size_t s = 0; s < steps; ++s) {
    verify.check("checksum, real", found[s].real(), official[s].real(), 1e-12);
    verify.check("checksum, imaginary", found[s].imag(), official[s].imag(), 1e-12);
  }
  return verify.result();
}
