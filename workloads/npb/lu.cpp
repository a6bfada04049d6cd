// SPDX-License-Identifier: Apache-2.0
// LU, "lower-upper" (RNR-94-007, section 4.1): the synthetic flow by symmetric successive
// over-relaxation. Each sweep goes through the cube against or with all three directions; threads
// own bands along y and follow each other from plane to plane, one plane behind their neighbour.
#include <algorithm>
#include <array>
#include <cmath>

#include "npb/common/array.hpp"
#include "npb/common/flow.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/verification.hpp"

namespace {

using npb::flow::state;
using npb::flow::values;

using block = std::array<state, values>;  // rows of a 5 x 5 matrix

constexpr double omega = 1.2;  // over-relaxation

/// The Jacobian of the flux along direction d.
block flux_jacobian(const state& u, std::size_t d) {
  using namespace npb::flow;
  const derived at = derive(u);
  const double along = at.velocity[d];
  const double energy = u[4] * at.inverse_density;
  block of{};
  of[0][1 + d] = 1;
  for (std::size_t m = 0; m < 3; ++m) {
    state& row = of[1 + m];
    row[0] = -at.velocity[m] * along;
    row[1 + m] += along;
    row[1 + d] += at.velocity[m];
  }
  of[1 + d][0] += c2 * at.kinetic;
  for (std::size_t n = 0; n < 3; ++n) of[1 + d][1 + n] -= c2 * at.velocity[n];
  of[1 + d][4] = c2;
  of[4][0] = (2 * c2 * at.kinetic - c1 * energy) * along;
  for (std::size_t n = 0; n < 3; ++n) of[4][1 + n] = -c2 * at.velocity[n] * along;
  of[4][1 + d] += c1 * energy - c2 * at.kinetic;
  of[4][4] = c1 * along;
  return of;
}

/// The Jacobian of what diffuses along direction d: viscous stress, heat, and the added diffusion.
void add_diffusion_jacobian(const state& u, std::size_t d, double scale, block& to) {
  using namespace npb::flow;
  const derived at = derive(u);
  const double heat = c1c5 * c3c4;
  for (std::size_t m = 0; m < values; ++m) to[m][m] += scale * diffusion[d];
  double energy = -heat * u[4] * at.inverse_density;
  for (std::size_t m = 0; m < 3; ++m) {
    const double viscosity = (m == d ? 4.0 / 3 : 1) * c3c4;
    const double velocity = at.velocity[m];
    to[1 + m][0] -= scale * viscosity * velocity * at.inverse_density;
    to[1 + m][1 + m] += scale * viscosity * at.inverse_density;
    to[4][1 + m] += scale * (viscosity - heat) * velocity * at.inverse_density;
    energy -= (viscosity - heat) * velocity * velocity;
  }
  to[4][0] += scale * energy * at.inverse_density;
  to[4][4] += scale * heat * at.inverse_density;
}

/// Solves a x = b in place by elimination without pivoting: the diagonal dominates.
void solve(block& a, state& b) {
  for (std::size_t p = 0; p < values; ++p) {
    for (std::size_t row = p + 1; row < values; ++row) {
      const double factor = a[row][p] / a[p][p];
      for (std::size_t c = p + 1; c < values; ++c) a[row][c] -= factor * a[p][c];
      b[row] -= factor * b[p];
    }
  }
  for (std::size_t p = values; p-- > 0;) {
    for (std::size_t c = p + 1; c < values; ++c) b[p] -= a[p][c] * b[c];
    b[p] /= a[p][p];
  }
}

struct fields {
  state* u;
  state* r;  // residual, then the change of u
  state* forcing;
  npb::flow::derived* points;
};

/// One thread's work; all threads call the same functions together.
class worker {
 public:
  worker(npb::flow::mesh size, const fields& at, double step, npb::all_sum& sum, unsigned me,
         unsigned threads)
      : size_(size),
        at_(at),
        step_(step),
        sum_(sum),
        me_(me),
        threads_(threads),
        planes_(npb::part_of({0, size.n}, me, threads)),
        band_(npb::part_of({1, size.edge()}, me, threads)) {}

  /// The forcing makes the exact solution steady: the right-hand side of it, taken away.
  void prepare() {
    for (std::size_t k = planes_.first; k < planes_.last; ++k) {
      for (std::size_t j = 0; j < size_.n; ++j) {
        for (std::size_t i = 0; i < size_.n; ++i) {
          at_.u[size_.at(i, j, k)] = npb::flow::exact(size_, i, j, k);
        }
      }
    }
    const std::size_t first = size_.at(0, 0, planes_.first);
    const std::size_t last = size_.at(0, 0, planes_.last);
    std::fill(at_.forcing + first, at_.forcing + last, state{});
    std::fill(at_.r + first, at_.r + last, state{});
    npb::flow::derive(size_, at_.u, at_.points, planes_);
    workload::omp_wait();
    npb::flow::right_hand_side(size_, at_.u, at_.points, at_.forcing, planes_);
    workload::omp_wait();
  }

  void start() {
    npb::flow::start(size_, at_.u, planes_);
    workload::omp_wait();
    residual();
  }

  void iterate() {
    const std::size_t first = size_.at(0, 0, planes_.first);
    const std::size_t last = size_.at(0, 0, planes_.last);
    for (std::size_t p = first; p < last; ++p) {
      for (double& value : at_.r[p]) value *= step_;
    }
    workload::omp_wait();
    const std::size_t inner = size_.n - 2;
    // Step s of a sweep: thread t has plane s - t, so its neighbour has finished that plane before.
    for (std::size_t s = 0; s < inner + threads_ - 1; ++s) {
      if (s >= me_ && s - me_ < inner) lower_plane(1 + s - me_);
      workload::omp_wait();
    }
    for (std::size_t s = 0; s < inner + threads_ - 1; ++s) {
      const std::size_t behind = threads_ - 1 - me_;
      if (s >= behind && s - behind < inner) upper_plane(inner - (s - behind));
      workload::omp_wait();
    }
    constexpr double relaxed = 1 / (omega * (2 - omega));
    for (std::size_t p = first; p < last; ++p) {
      for (std::size_t m = 0; m < values; ++m) at_.u[p][m] += relaxed * at_.r[p][m];
    }
    residual();
  }

  state residual_norm() { return norm(npb::flow::squares(size_, at_.r, planes_)); }
  state error() { return norm(npb::flow::error_squares(size_, at_.u, planes_)); }

 private:
  void residual() {
    npb::flow::derive(size_, at_.u, at_.points, planes_);
    workload::omp_wait();
    npb::flow::right_hand_side(size_, at_.u, at_.points, at_.r, planes_);
    const std::size_t last = size_.at(0, 0, planes_.last);
    for (std::size_t p = size_.at(0, 0, planes_.first); p < last; ++p) {
      for (std::size_t m = 0; m < values; ++m) at_.r[p][m] -= at_.forcing[p][m];
    }
    workload::omp_wait();
  }

  /// The implicit operator's block on the diagonal.
  block diagonal(const state& u) const {
    block of{};
    for (std::size_t m = 0; m < values; ++m) of[m][m] = 1;
    const double scale = 2 * step_ * size_.per_length() * size_.per_length();
    for (std::size_t d = 0; d < 3; ++d) add_diffusion_jacobian(u, d, scale, of);
    return of;
  }

  /// Adds the operator's blocks for the neighbours on one side, `sign` -1 or +1, times their
  /// change.
  void add_neighbours(std::size_t at, int sign, state& to) const {
    const double t1 = step_ * size_.per_length() * size_.per_length();
    const double t2 = step_ * size_.per_length() / 2;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t n = sign < 0 ? at - size_.stride(d) : at + size_.stride(d);
      block of = flux_jacobian(at_.u[n], d);
      for (state& row : of) {
        for (double& value : row) value *= sign * t2;
      }
      add_diffusion_jacobian(at_.u[n], d, -t1, of);
      for (std::size_t m = 0; m < values; ++m) {
        for (std::size_t c = 0; c < values; ++c) to[m] += of[m][c] * at_.r[n][c];
      }
    }
  }

  void lower_plane(std::size_t k) const {
    for (std::size_t j = band_.first; j < band_.last; ++j) {
      for (std::size_t i = 1; i < size_.edge(); ++i) {
        const std::size_t at = size_.at(i, j, k);
        state sum{};
        add_neighbours(at, -1, sum);
        state& r = at_.r[at];
        for (std::size_t m = 0; m < values; ++m) r[m] -= omega * sum[m];
        block d = diagonal(at_.u[at]);
        solve(d, r);
      }
    }
  }

  void upper_plane(std::size_t k) const {
    for (std::size_t j = band_.last; j-- > band_.first;) {
      for (std::size_t i = size_.edge(); i-- > 1;) {
        const std::size_t at = size_.at(i, j, k);
        state sum{};
        add_neighbours(at, 1, sum);
        for (double& value : sum) value *= omega;
        block d = diagonal(at_.u[at]);
        solve(d, sum);
        for (std::size_t m = 0; m < values; ++m) at_.r[at][m] -= sum[m];
      }
    }
  }

  state norm(const state& part) {
    state of{};
    for (std::size_t m = 0; m < values; ++m) {
      of[m] = npb::flow::root_mean(size_, sum_(me_, turn_, part[m]));
    }
    return of;
  }

  npb::flow::mesh size_;
  fields at_;
  double step_;
  npb::all_sum& sum_;
  unsigned me_;
  unsigned threads_;
  npb::range planes_;  // of the residual
  npb::range band_;    // of the sweeps
  unsigned turn_ = 0;
};

/// The pressure, integrated over six faces of a box inside the cube by the trapezoidal rule.
double surface_integral(const npb::flow::mesh& size, const state* u) {
  const auto pressure = [&](const std::array<std::size_t, 3>& p) {
    const state& at = u[size.at(p[0], p[1], p[2])];
    return npb::flow::c2 * (at[4] - npb::flow::derive(at).kinetic_energy);
  };
  // The box's first and last points along x, y and z.
  const std::array<std::array<std::size_t, 2>, 3> box{
      {{1, size.n - 2}, {1, size.n - 3}, {2, size.n - 2}}};
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t a = (d + 1) % 3;
    const std::size_t b = (d + 2) % 3;
    for (const std::size_t side : box[d]) {
      for (std::size_t x = box[a][0]; x < box[a][1]; ++x) {
        for (std::size_t y = box[b][0]; y < box[b][1]; ++y) {
          for (std::size_t corner = 0; corner < 4; ++corner) {
            std::array<std::size_t, 3> at{};
            at[d] = side;
            at[a] = x + corner % 2;
            at[b] = y + corner / 2;
            sum += pressure(at);
          }
        }
      }
    }
  }
  return 0.25 * sum / (size.per_length() * size.per_length());
}

struct official {
  state residual;
  state error;
  double integral;
};

constexpr official for_s{{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03,
                          1.5029584435994323e-03, 3.4264073155896461e-02},
                         {6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05,
                          5.8474222595157350e-05, 1.3103347914111294e-03},
                         7.8418928865937083};
constexpr official for_w{{0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01,
                          0.2326187750252e+01, 0.2826799444189e+02},
                         {0.4867877144216, 0.5064652880982e-01, 0.9281818101960e-01,
                          0.8570126542733e-01, 0.1084277417792e+01},
                         0.1161399311023e+02};
constexpr official for_a{{7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02,
                          1.7845301160418537e+02, 1.8384760349464247e+03},
                         {2.9964085685471943e+01, 2.8194576365003349, 7.3473412698774742,
                          6.7139225687777051, 7.0715315688392578e+01},
                         2.6030925604886277e+01};

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "lu");
  const npb::flow::mesh size(of.of<std::size_t>(12, 33, 64));
  const unsigned iterations = of.of(50u, 300u, 250u);
  const double step = of.of(0.5, 1.5e-3, 2.0);
  const npb::array<state> u(of, "lu u", size.points());
  const npb::array<state> r(of, "lu residual", size.points());
  const npb::array<state> forcing(of, "lu forcing", size.points());
  const npb::array<npb::flow::derived> points(of, "lu derived", size.points());
  const fields at{u.data(), r.data(), forcing.data(), points.data()};
  npb::all_sum sum(of.threads);
  state residual{};
  state error{};
  workload::on_all_threads(of.threads, [&](unsigned me) {
    worker own(size, at, step, sum, me, of.threads);
    own.prepare();
    own.start();
    own.iterate();
    own.start();
    workload::measure(me, "lu", workload::omp_wait, [&] {
      for (unsigned k = 0; k < iterations; ++k) own.iterate();
      const state found = own.residual_norm();
      if (me == 0) residual = found;
    });
    const state found = own.error();
    if (me == 0) error = found;
    return std::size_t{0};
  });
  npb::verification verify(of);
  const official& known = of.of(for_s, for_w, for_a);
  for (std::size_t m = 0; m < values; ++m) {
    verify.check("residual", residual[m], known.residual[m], 1e-8);
    verify.check("error", error[m], known.error[m], 1e-8);
  }
  verify.check("surface integral", surface_integral(size, u.data()), known.integral, 1e-8);
  return verify.result();
}
