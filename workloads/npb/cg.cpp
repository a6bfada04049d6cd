// SPDX-License-Identifier: Apache-2.0
// CG, "conjugate gradient" (RNR-94-007, section 2.2.3): the smallest eigenvalue of a large sparse
// matrix of random pattern by the power method, each step of which solves a linear system by 25
// steps of conjugate gradients. Threads own rows, and read the whole vector.
#include <algorithm>
#include <cmath>
#include <vector>

#include "npb/common/array.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/random.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/sparse_matrix.hpp"
#include "npb/common/verification.hpp"

namespace {

constexpr unsigned power_steps = 15;
constexpr unsigned gradient_steps = 25;

struct vectors {
  double* x;
  double* z;
  double* p;
  double* q;
  double* r;
};

/// One thread's view of the whole computation; all threads call the same functions together.
class solver {
 public:
  solver(const npb::sparse_rows& a, const vectors& v, npb::all_sum& sum, unsigned me,
         npb::range mine)
      : a_(a), v_(v), sum_(sum), me_(me), mine_(mine) {}

  void start() {
    for (std::size_t i = mine_.first; i < mine_.last; ++i) {
      v_.x[i] = 1;
      v_.z[i] = v_.p[i] = v_.q[i] = v_.r[i] = 0;
    }
  }

  /// One step of the power method with A^-1; returns x . z, and how far A z is from x.
  std::pair<double, double> step() {
    const double residual = solve();
    const double xz = dot(v_.x, v_.z);
    const double scale = 1 / std::sqrt(dot(v_.z, v_.z));
    for (std::size_t i = mine_.first; i < mine_.last; ++i) v_.x[i] = scale * v_.z[i];
    return {xz, residual};
  }

 private:
  double dot(const double* a, const double* b) {
    double part = 0;
    for (std::size_t i = mine_.first; i < mine_.last; ++i) part += a[i] * b[i];
    return sum_(me_, turn_, part);
  }

  /// to = A from, after all threads have written their part of `from`.
  void times(const double* from, double* to) {
    workload::omp_wait();
    for (std::size_t i = mine_.first; i < mine_.last; ++i) {
      double sum = 0;
      for (std::size_t n = a_.begin[i]; n < a_.begin[i + 1]; ++n) {
        sum += a_.value[n] * from[a_.column[n]];
      }
      to[i] = sum;
    }
  }

  /// z approximates A^-1 x; returns |x - A z|.
  double solve() {
    for (std::size_t i = mine_.first; i < mine_.last; ++i) {
      v_.z[i] = 0;
      v_.r[i] = v_.p[i] = v_.x[i];
    }
    double rho = dot(v_.r, v_.r);
    for (unsigned k = 0; k < gradient_steps; ++k) {
      times(v_.p, v_.q);
      const double alpha = rho / dot(v_.p, v_.q);
      for (std::size_t i = mine_.first; i < mine_.last; ++i) {
        v_.z[i] += alpha * v_.p[i];
        v_.r[i] -= alpha * v_.q[i];
      }
      const double before = rho;
      rho = dot(v_.r, v_.r);
      const double beta = rho / before;
      for (std::size_t i = mine_.first; i < mine_.last; ++i) {
        v_.p[i] = v_.r[i] + beta * v_.p[i];
      }
    }
    times(v_.z, v_.r);
    double part = 0;
    for (std::size_t i = mine_.first; i < mine_.last; ++i) {
      part += (v_.x[i] - v_.r[i]) * (v_.x[i] - v_.r[i]);
    }
    return std::sqrt(sum_(me_, turn_, part));
  }

  const npb::sparse_rows& a_;
  vectors v_;
  npb::all_sum& sum_;
  unsigned me_;
  npb::range mine_;
  unsigned turn_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "cg");
  const std::size_t rows = of.of<std::size_t>(1400, 7000, 14000);
  const std::size_t nonzeros = of.of<std::size_t>(7, 8, 11);
  const double shift = of.of(10.0, 12.0, 20.0);
  const npb::sparse_pattern pattern(rows, nonzeros, shift);
  const npb::array<double> value(of, "cg values", pattern.entries());
  const npb::array<unsigned> column(of, "cg columns", pattern.entries());
  const npb::array<std::size_t> begin(of, "cg rows", rows + 1);
  const npb::array<double> x(of, "cg x", rows);
  const npb::array<double> z(of, "cg z", rows);
  const npb::array<double> p(of, "cg p", rows);
  const npb::array<double> q(of, "cg q", rows);
  const npb::array<double> r(of, "cg r", rows);
  const npb::sparse_rows a{begin.data(), column.data(), value.data()};
  npb::all_sum sum(of.threads);
  double zeta = 0;
  workload::on_all_threads(of.threads, [&](unsigned me) {
    const npb::range mine = npb::part_of({0, rows}, me, of.threads);
    pattern.fill(a, mine);
    solver own(a, {x.data(), z.data(), p.data(), q.data(), r.data()}, sum, me, mine);
    own.start();
    workload::omp_wait();
    own.step();
    own.start();
    workload::measure(me, "cg", workload::omp_wait, [&] {
      for (unsigned k = 0; k < power_steps; ++k) {
        const auto [xz, residual] = own.step();
        if (me == 0) zeta = shift + 1 / xz;
        if (me == 0) std::printf("  step %2u  residual %.14e  zeta %.13f\n", k + 1, residual, zeta);
      }
    });
    return std::size_t{0};
  });
  npb::verification verify(of);
  verify.check("zeta", zeta, of.of(8.5971775078648, 10.362595087124, 17.130235054029), 1e-10);
  return verify.result();
}
