// SPDX-License-Identifier: Apache-2.0
// SP, "scalar pentadiagonal" (RNR-94-007, section 4.2): the synthetic flow by an approximate
// factorisation in alternating directions. In the characteristic variables of a direction
// (Pulliam and Chaussee, 1981) the five equations fall apart into five scalar systems along each
// line. Threads own planes for the directions x and y, and rows of all planes for z.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "npb/common/array.hpp"
#include "npb/common/flow.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/verification.hpp"

namespace {

using npb::flow::derived;
using npb::flow::state;
using npb::flow::values;

const double root_half = std::sqrt(0.5);

struct fields {
  state* u;
  state* r;  // right-hand side, then the change of u
  state* forcing;
  derived* points;
  double* sound;  // speed
};

/// The characteristic variables along x of a change of u: entropy, the two shears, the two waves.
state to_waves(const state& change, const derived& at, double sound) {
  state of{};
  std::array<double, 3> velocity{};
  double pressure = at.kinetic * change[0] + change[4];
  for (std::size_t m = 0; m < 3; ++m) {
    velocity[m] = (change[1 + m] - at.velocity[m] * change[0]) * at.inverse_density;
    pressure -= at.velocity[m] * change[1 + m];
  }
  pressure *= npb::flow::c2;
  const double wave = pressure * at.inverse_density / sound;
  of[0] = change[0] - pressure / (sound * sound);
  of[1] = velocity[2];
  of[2] = -velocity[1];
  of[3] = root_half * (wave + velocity[0]);
  of[4] = root_half * (wave - velocity[0]);
  return of;
}

/// From those along x to those along y: the wave's velocity becomes a shear, a shear the wave's.
state x_to_y(const state& x) {
  const double wave = 0.5 * (x[3] + x[4]);
  const double velocity = root_half * x[2];
  return {-x[1], x[0], root_half * (x[3] - x[4]), wave - velocity, wave + velocity};
}

state y_to_z(const state& y) {
  const double wave = 0.5 * (y[3] + y[4]);
  const double velocity = root_half * y[0];
  return {root_half * (y[3] - y[4]), -y[2], y[1], wave - velocity, wave + velocity};
}

/// The change of u that those along z stand for.
state from_waves(const state& z, const derived& at, double density, double sound) {
  const double wave = root_half * density * (z[3] + z[4]) / sound;
  const std::array<double, 3> momentum{-z[1] * density, z[0] * density,
                                       root_half * density * (z[3] - z[4])};
  state of{};
  of[0] = z[2] + wave;
  of[4] = at.kinetic * of[0] + sound * sound * wave / npb::flow::c2;
  for (std::size_t m = 0; m < 3; ++m) {
    of[1 + m] = at.velocity[m] * of[0] + momentum[m];
    of[4] += at.velocity[m] * momentum[m];
  }
  return of;
}

/// One line's systems: the matrix of those that move with the flow, those of the two waves beside
/// it, and the right-hand sides. Elements 0 and n - 1 are edges that do not change.
class line {
 public:
  explicit line(std::size_t n)
      : n_(n), flow_(n), up_(n), down_(n), velocity_(n), sound_(n), spread_(n) {}

  /// Loads the line whose points are `first`, `first + stride`, ... along direction d.
  void load(const fields& at, std::size_t first, std::size_t stride, std::size_t d) {
    for (std::size_t i = 0; i < n_; ++i) {
      const derived& point = at.points[first + i * stride];
      velocity_[i] = point.velocity[d];
      sound_[i] = at.sound[first + i * stride];
      const double viscosity = npb::flow::c3c4 * point.inverse_density;
      spread_[i] = npb::flow::diffusion[d] +
                   std::max({4.0 / 3 * viscosity, npb::flow::c1c5 * viscosity, viscosity, 0.0});
    }
  }

  /// Sets the matrices up for a time step: advection, spreading, and the fourth difference.
  void set_up(double step, double per_length) {
    const double t1 = step * per_length * per_length;
    const double t2 = step * per_length / 2;
    const double damp = step * npb::flow::dissipation;
    const std::size_t inner = n_ - 2;
    for (std::size_t i = 1; i <= inner; ++i) {
      const bool edge = i == 1 || i == inner;
      row& of = flow_[i];
      of[0] = damp;
      of[1] = -t2 * velocity_[i - 1] - t1 * spread_[i - 1] - 4 * damp;
      of[2] = 1 + 2 * t1 * spread_[i] + (edge ? 5 : 6) * damp;
      of[3] = t2 * velocity_[i + 1] - t1 * spread_[i + 1] - 4 * damp;
      of[4] = damp;
      up_[i] = down_[i] = of;
      up_[i][1] -= t2 * sound_[i - 1];
      up_[i][3] += t2 * sound_[i + 1];
      down_[i][1] += t2 * sound_[i - 1];
      down_[i][3] -= t2 * sound_[i + 1];
    }
  }

  /// Solves for the changes at `first`, `first + stride`, ...
  void solve(state* r, std::size_t first, std::size_t stride) {
    state* const at = r + first;
    eliminate(flow_, at, stride, 0, 3);
    eliminate(up_, at, stride, 3, 4);
    eliminate(down_, at, stride, 4, 5);
  }

 private:
  using row = std::array<double, 5>;  // columns i - 2 to i + 2

  /// Gaussian elimination of the inner rows; the edges' changes are 0, so what multiplies them is
  /// too.
  void eliminate(std::vector<row>& a, state* r, std::size_t stride, std::size_t first,
                 std::size_t last) const {
    const std::size_t inner = n_ - 2;
    for (std::size_t i = 1; i <= inner; ++i) {
      const double scale = 1 / a[i][2];
      a[i][3] *= scale;
      a[i][4] *= scale;
      state& here = r[i * stride];
      for (std::size_t m = first; m < last; ++m) here[m] *= scale;
      if (i + 1 <= inner) subtract(a[i + 1], a[i], 1, r[(i + 1) * stride], here, first, last);
      if (i + 2 <= inner) subtract(a[i + 2], a[i], 0, r[(i + 2) * stride], here, first, last);
    }
    for (std::size_t i = inner; i-- > 1;) {
      state& here = r[i * stride];
      for (std::size_t m = first; m < last; ++m) {
        here[m] -= a[i][3] * r[(i + 1) * stride][m];
        if (i + 2 <= inner) here[m] -= a[i][4] * r[(i + 2) * stride][m];
      }
    }
  }

  /// Takes the multiple of row `by` away from `from` that makes its element `column` 0.
  static void subtract(row& from, const row& by, std::size_t column, state& value,
                       const state& by_value, std::size_t first, std::size_t last) {
    const double factor = from[column];
    from[column + 1] -= factor * by[3];
    from[column + 2] -= factor * by[4];
    for (std::size_t m = first; m < last; ++m) value[m] -= factor * by_value[m];
  }

  std::size_t n_;
  std::vector<row> flow_;
  std::vector<row> up_;
  std::vector<row> down_;
  std::vector<double> velocity_;
  std::vector<double> sound_;
  std::vector<double> spread_;
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
        planes_(npb::part_of({0, size.n}, me, threads)),
        inner_planes_(npb::part_of({1, size.edge()}, me, threads)),
        line_(size.n) {}

  /// The forcing makes the exact solution steady: the right-hand side of it, taken away.
  void prepare() {
    const std::size_t first = size_.at(0, 0, planes_.first);
    const std::size_t last = size_.at(0, 0, planes_.last);
    for (std::size_t k = planes_.first; k < planes_.last; ++k) {
      for (std::size_t j = 0; j < size_.n; ++j) {
        for (std::size_t i = 0; i < size_.n; ++i) {
          at_.u[size_.at(i, j, k)] = npb::flow::exact(size_, i, j, k);
        }
      }
    }
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
  }

  void iterate() {
    right_hand_side();
    each([this](std::size_t p) {
      state& r = at_.r[p];
      for (double& value : r) value *= step_;
      r = to_waves(r, at_.points[p], at_.sound[p]);
    });
    for (std::size_t k = inner_planes_.first; k < inner_planes_.last; ++k) {
      for (std::size_t j = 1; j < size_.edge(); ++j) solve_line(size_.at(0, j, k), 0);
    }
    each([this](std::size_t p) { at_.r[p] = x_to_y(at_.r[p]); });
    for (std::size_t k = inner_planes_.first; k < inner_planes_.last; ++k) {
      for (std::size_t i = 1; i < size_.edge(); ++i) solve_line(size_.at(i, 0, k), 1);
    }
    each([this](std::size_t p) { at_.r[p] = y_to_z(at_.r[p]); });
    workload::omp_wait();
    for (std::size_t j = inner_planes_.first; j < inner_planes_.last; ++j) {
      for (std::size_t i = 1; i < size_.edge(); ++i) solve_line(size_.at(i, j, 0), 2);
    }
    workload::omp_wait();
    each([this](std::size_t p) {
      const state change = from_waves(at_.r[p], at_.points[p], at_.u[p][0], at_.sound[p]);
      for (std::size_t m = 0; m < values; ++m) at_.u[p][m] += change[m];
    });
    workload::omp_wait();
  }

  /// Root mean squares of what is left of the right-hand side.
  state residual_norm() {
    right_hand_side();
    return norm(npb::flow::squares(size_, at_.r, inner_planes_));  // those that it wrote itself
  }
  state error() { return norm(npb::flow::error_squares(size_, at_.u, planes_)); }

 private:
  void right_hand_side() {
    npb::flow::derive(size_, at_.u, at_.points, planes_);
    for (std::size_t p = size_.at(0, 0, planes_.first); p < size_.at(0, 0, planes_.last); ++p) {
      const derived& of = at_.points[p];
      at_.sound[p] = std::sqrt(npb::flow::c1 * npb::flow::c2 * of.inverse_density *
                               (at_.u[p][4] - of.kinetic_energy));
    }
    workload::omp_wait();
    npb::flow::right_hand_side(size_, at_.u, at_.points, at_.r, inner_planes_);
    each([this](std::size_t p) {
      for (std::size_t m = 0; m < values; ++m) at_.r[p][m] -= at_.forcing[p][m];
    });
  }

  /// Calls `work` for the inner points of this thread's planes.
  template <class Work>
  void each(Work work) const {
    for (std::size_t k = inner_planes_.first; k < inner_planes_.last; ++k) {
      for (std::size_t j = 1; j < size_.edge(); ++j) {
        for (std::size_t i = 1; i < size_.edge(); ++i) work(size_.at(i, j, k));
      }
    }
  }

  void solve_line(std::size_t first, std::size_t d) {
    line_.load(at_, first, size_.stride(d), d);
    line_.set_up(step_, size_.per_length());
    line_.solve(at_.r, first, size_.stride(d));
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
  npb::range planes_;
  npb::range inner_planes_;  // planes, and for z rows, without the edges
  line line_;
  unsigned turn_ = 0;
};

struct official {
  state residual;
  state error;
};

constexpr official for_s{{2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
                          1.5840557224455615e-02, 3.4849040609362460e-02},
                         {2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
                          1.5750704994480102e-05, 3.4177666183390531e-05}};
constexpr official for_w{{0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03,
                          0.2887475409984e-03, 0.3143611161242e-02},
                         {0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04,
                          0.1128838671535e-04, 0.1212845639773e-03}};
constexpr official for_a{{2.4799822399300195, 1.1276337964368832, 1.5028977888770491,
                          1.4217816211695179, 2.1292113035138280},
                         {1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05,
                          4.7671093939528255e-05, 1.3621613399213001e-04}};

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "sp");
  const npb::flow::mesh size(of.of<std::size_t>(12, 36, 64));
  const unsigned iterations = of.of(100u, 400u, 400u);
  const double step = of.of(0.015, 0.0015, 0.0015);
  const npb::array<state> u(of, "sp u", size.points());
  const npb::array<state> r(of, "sp right-hand side", size.points());
  const npb::array<state> forcing(of, "sp forcing", size.points());
  const npb::array<derived> points(of, "sp derived", size.points());
  const npb::array<double> sound(of, "sp speed of sound", size.points());
  const fields at{u.data(), r.data(), forcing.data(), points.data(), sound.data()};
  npb::all_sum sum(of.threads);
  state residual{};
  state error{};
  workload::on_all_threads(of.threads, [&](unsigned me) {
    worker own(size, at, step, sum, me, of.threads);
    own.prepare();
    own.start();
    own.iterate();
    own.start();
    workload::measure(me, "sp", workload::omp_wait, [&] {
      for (unsigned k = 0; k < iterations; ++k) own.iterate();
    });
    const state left = own.residual_norm();
    const state off = own.error();
    if (me == 0) residual = left;
    if (me == 0) error = off;
    return std::size_t{0};
  });
  npb::verification verify(of);
  const official& known = of.of(for_s, for_w, for_a);
  for (std::size_t m = 0; m < values; ++m) {
    verify.check("residual", residual[m], known.residual[m], 1e-8);
    verify.check("error", error[m], known.error[m], 1e-8);
  }
  return verify.result();
}
