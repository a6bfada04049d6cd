// SPDX-License-Identifier: Apache-2.0
// MG, "multigrid" (RNR-94-007, section 2.2.2): V-cycles for Poisson's equation on a periodic cube
// with ten charges of +1 and ten of -1. Threads own slabs of planes on every grid and read one
// plane of each neighbour; grids are halved until a plane is smaller than a page.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "npb/common/array.hpp"
#include "npb/common/problem.hpp"
#include "npb/common/random.hpp"
#include "npb/common/sharing.hpp"
#include "npb/common/verification.hpp"

namespace {

constexpr unsigned cycles = 4;
constexpr std::size_t charges = 10;

/// A cube of n^3 inner points with one layer around it that repeats the other side.
struct grid {
  std::size_t n;
  double* at;

  std::size_t side() const { return n + 2; }
  double* row(std::size_t j, std::size_t k) const { return at + (k * side() + j) * side(); }
};

/// Where the charges are: the places of the ten largest and of the ten smallest numbers when the
/// generator fills the inner points in order.
struct charged {
  std::vector<std::size_t> positive;
  std::vector<std::size_t> negative;
};

charged place_charges(std::size_t n) {
  struct drawn {
    double value;
    std::size_t place;
  };
  npb::random_numbers random(314159265);
  std::vector<drawn> high;  // sorted, the least extreme one last
  std::vector<drawn> low;
  const auto keep = [](std::vector<drawn>& best, drawn candidate, auto before) {
    if (best.size() == charges && !before(candidate, best.back())) return;
    best.insert(std::upper_bound(best.begin(), best.end(), candidate, before), candidate);
    if (best.size() > charges) best.pop_back();
  };
  for (std::size_t place = 0; place < n * n * n; ++place) {
    const drawn candidate{random.next(), place};
    keep(high, candidate, [](const drawn& a, const drawn& b) { return a.value > b.value; });
    keep(low, candidate, [](const drawn& a, const drawn& b) { return a.value < b.value; });
  }
  charged found;
  for (const drawn& one : high) found.positive.push_back(one.place);
  for (const drawn& one : low) found.negative.push_back(one.place);
  return found;
}

/// One thread's work: all threads call the same functions together, each for its own planes.
class worker {
 public:
  worker(unsigned me, unsigned threads, const std::vector<grid>& u, const std::vector<grid>& r,
         const grid& v, npb::all_sum& sum)
      : me_(me), threads_(threads), u_(u), r_(r), v_(v), sum_(sum), near_(2 * u.back().side()) {}

  /// Zeroes all grids, each plane by its owner, and sets the charges.
  void start(const charged& points) {
    for (const grid& g : u_) zero(g);
    for (const grid& g : r_) zero(g);
    zero(v_);
    workload::omp_wait();
    if (me_ == 0) {
      for (const std::size_t place : points.positive) *inner(v_, place) = 1;
      for (const std::size_t place : points.negative) *inner(v_, place) = -1;
    }
    workload::omp_wait();
    wrap(v_);
  }

  /// r = v - A u on the finest grid; returns its norm.
  double residual_norm() {
    subtract(u_.back(), v_, r_.back());
    const grid& g = r_.back();
    double part = 0;
    const npb::range mine = planes(g);
    for (std::size_t k = mine.first; k < mine.last; ++k) {
      for (std::size_t j = 1; j <= g.n; ++j) {
        const double* const row = g.row(j, k);
        for (std::size_t i = 1; i <= g.n; ++i) part += row[i] * row[i];
      }
    }
    const double points = static_cast<double>(g.n * g.n * g.n);
    return std::sqrt(sum_(me_, turn_, part) / points);
  }

  /// u += M r, where M is one V-cycle.
  void cycle() {
    const std::size_t top = u_.size() - 1;
    for (std::size_t level = top; level > 0; --level) restrict_to(r_[level], r_[level - 1]);
    zero(u_[0]);
    workload::omp_wait();
    smooth(r_[0], u_[0]);
    for (std::size_t level = 1; level <= top; ++level) {
      if (level != top) {
        zero(u_[level]);
        workload::omp_wait();
      }
      prolong(u_[level - 1], u_[level]);
      subtract(u_[level], level == top ? v_ : r_[level], r_[level]);
      smooth(r_[level], u_[level]);
    }
  }

 private:
  static double* inner(const grid& g, std::size_t place) {
    return g.row(place / g.n % g.n + 1, place / g.n / g.n + 1) + place % g.n + 1;
  }

  npb::range planes(const grid& g) const { return npb::part_of({1, g.n + 1}, me_, threads_); }

  /// The planes that a thread writes first: its own, and the outer ones beside them.
  void zero(const grid& g) const {
    npb::range mine = planes(g);
    if (mine.first == mine.last) return;
    if (mine.first == 1) mine.first = 0;
    if (mine.last == g.n + 1) mine.last = g.side();
    std::fill(g.row(0, mine.first), g.row(0, mine.last), 0.0);
  }

  /// Copies the inner edges to the outer layer on the other side, and waits for all threads.
  void wrap(const grid& g) const {
    const npb::range mine = planes(g);
    for (std::size_t k = mine.first; k < mine.last; ++k) {
      for (std::size_t j = 1; j <= g.n; ++j) {
        double* const row = g.row(j, k);
        row[0] = row[g.n];
        row[g.n + 1] = row[1];
      }
      std::copy_n(g.row(g.n, k), g.side(), g.row(0, k));
      std::copy_n(g.row(1, k), g.side(), g.row(g.n + 1, k));
    }
    workload::omp_wait();
    const std::size_t plane = g.side() * g.side();
    if (mine.first == 1 && mine.last > 1) std::copy_n(g.row(0, g.n), plane, g.row(0, 0));
    if (mine.last == g.n + 1 && mine.first <= g.n) {
      std::copy_n(g.row(0, 1), plane, g.row(0, g.n + 1));
    }
    workload::omp_wait();
  }

  /// For each i of a row: the sums over the four rows beside it, and over the four beyond those.
  void sum_around(const grid& g, std::size_t j, std::size_t k) {
    double* const beside = near_.data();
    double* const beyond = beside + g.side();
    const double* const n = g.row(j - 1, k);
    const double* const s = g.row(j + 1, k);
    const double* const b = g.row(j, k - 1);
    const double* const t = g.row(j, k + 1);
    const double* const nb = g.row(j - 1, k - 1);
    const double* const nt = g.row(j - 1, k + 1);
    const double* const sb = g.row(j + 1, k - 1);
    const double* const st = g.row(j + 1, k + 1);
    for (std::size_t i = 0; i < g.side(); ++i) {
      beside[i] = n[i] + s[i] + b[i] + t[i];
      beyond[i] = nb[i] + nt[i] + sb[i] + st[i];
    }
  }

  /// to = from - A u, where A is -8/3 at a point, 0 at faces, 1/6 at edges and 1/12 at corners.
  void subtract(const grid& u, const grid& from, const grid& to) {
    const npb::range mine = planes(u);
    for (std::size_t k = mine.first; k < mine.last; ++k) {
      for (std::size_t j = 1; j <= u.n; ++j) {
        sum_around(u, j, k);
        const double* const beside = near_.data();
        const double* const beyond = beside + u.side();
        const double* const here = u.row(j, k);
        const double* const value = from.row(j, k);
        double* const out = to.row(j, k);
        for (std::size_t i = 1; i <= u.n; ++i) {
          out[i] = value[i] + 8.0 / 3 * here[i] -
                   1.0 / 6 * (beyond[i] + beside[i - 1] + beside[i + 1]) -
                   1.0 / 12 * (beyond[i - 1] + beyond[i + 1]);
        }
      }
    }
    wrap(to);
  }

  /// u += S r, where S is that of classes S, W and A: -3/8 at a point, 1/32 at faces, -1/64 at
  /// edges.
  void smooth(const grid& r, const grid& u) {
    const npb::range mine = planes(u);
    for (std::size_t k = mine.first; k < mine.last; ++k) {
      for (std::size_t j = 1; j <= u.n; ++j) {
        sum_around(r, j, k);
        const double* const beside = near_.data();
        const double* const beyond = beside + u.side();
        const double* const here = r.row(j, k);
        double* const out = u.row(j, k);
        for (std::size_t i = 1; i <= u.n; ++i) {
          out[i] += -3.0 / 8 * here[i] + 1.0 / 32 * (here[i - 1] + here[i + 1] + beside[i]) -
                    1.0 / 64 * (beyond[i] + beside[i - 1] + beside[i + 1]);
        }
      }
    }
    wrap(u);
  }

  /// Full weighting: 1/2 at the point, half of it at faces, a quarter at edges, an eighth at
  /// corners.
  void restrict_to(const grid& fine, const grid& coarse) {
    const npb::range mine = planes(coarse);
    for (std::size_t k = mine.first; k < mine.last; ++k) {
      for (std::size_t j = 1; j <= coarse.n; ++j) {
        sum_around(fine, 2 * j, 2 * k);
        const double* const beside = near_.data();
        const double* const beyond = beside + fine.side();
        const double* const here = fine.row(2 * j, 2 * k);
        double* const out = coarse.row(j, k);
        for (std::size_t i = 1; i <= coarse.n; ++i) {
          const std::size_t f = 2 * i;
          out[i] = 0.5 * here[f] + 0.25 * (here[f - 1] + here[f + 1] + beside[f]) +
                   0.125 * (beside[f - 1] + beside[f + 1] + beyond[f]) +
                   0.0625 * (beyond[f - 1] + beyond[f + 1]);
        }
      }
    }
    wrap(coarse);
  }

  /// fine += coarse, interpolated linearly; the outer layer, too, so nothing has to be copied
  /// there.
  void prolong(const grid& coarse, const grid& fine) {
    const npb::range mine = npb::part_of({0, coarse.n + 1}, me_, threads_);
    double* const row = near_.data();
    for (std::size_t k = mine.first; k < mine.last; ++k) {
      for (std::size_t j = 0; j <= coarse.n; ++j) {
        for (std::size_t corner = 0; corner < 4; ++corner) {
          const double* const a = coarse.row(j, k);
          const double* const b = coarse.row(j + corner % 2, k);
          const double* const c = coarse.row(j, k + corner / 2);
          const double* const d = coarse.row(j + corner % 2, k + corner / 2);
          for (std::size_t i = 0; i < coarse.side(); ++i) {
            row[i] = corner == 0   ? a[i]
                     : corner == 3 ? 0.25 * (a[i] + b[i] + c[i] + d[i])
                                   : 0.5 * (a[i] + d[i]);
          }
          double* const out = fine.row(2 * j + corner % 2, 2 * k + corner / 2);
          for (std::size_t i = 0; i <= coarse.n; ++i) {
            out[2 * i] += row[i];
            out[2 * i + 1] += 0.5 * (row[i] + row[i + 1]);
          }
        }
      }
    }
    workload::omp_wait();
  }

  unsigned me_;
  unsigned threads_;
  const std::vector<grid>& u_;
  const std::vector<grid>& r_;
  grid v_;
  npb::all_sum& sum_;
  std::vector<double> near_;
  unsigned turn_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const npb::problem of = npb::parse(argc, argv, "mg");
  const std::size_t levels = of.of<std::size_t>(5, 7, 8);
  std::vector<std::unique_ptr<npb::array<double>>> memory;
  const auto make = [&](const std::string& name, std::size_t n) {
    memory.push_back(
        std::make_unique<npb::array<double>>(of, name.c_str(), (n + 2) * (n + 2) * (n + 2)));
    return grid{n, memory.back()->data()};
  };
  std::vector<grid> u;
  std::vector<grid> r;
  for (std::size_t level = 1; level <= levels; ++level) {
    u.push_back(make("mg u " + std::to_string(level), std::size_t{1} << level));
    r.push_back(make("mg r " + std::to_string(level), std::size_t{1} << level));
  }
  const grid v = make("mg v", std::size_t{1} << levels);
  const charged points = place_charges(v.n);
  npb::all_sum sum(of.threads);
  double norm = 0;
  workload::on_all_threads(of.threads, [&](unsigned me) {
    worker own(me, of.threads, u, r, v, sum);
    own.start(points);
    own.residual_norm();
    own.cycle();
    own.start(points);
    workload::measure(me, "mg", workload::omp_wait, [&] {
      double last = own.residual_norm();
      for (unsigned k = 0; k < cycles; ++k) {
        own.cycle();
        last = own.residual_norm();
      }
      if (me == 0) norm = last;
    });
    return std::size_t{0};
  });
  npb::verification verify(of);
  verify.check("norm of the residual", norm,
               of.of(0.5307707005734e-04, 0.6467329375339e-05, 0.2433365309069e-05), 1e-8);
  return verify.result();
}
