// SPDX-License-Identifier: Apache-2.0
#include "npb/common/flow.hpp"

#include <algorithm>
#include <cmath>

namespace npb::flow {

namespace {

/// The coefficients of the exact solution: constant, then those of x, y, z, of their squares, cubes
/// and fourth powers (RNR-94-007, table 3.1).
constexpr std::array<std::array<double, 13>, values> coefficients{
    {{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
     {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
     {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
     {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
     {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2}}};

state exact_at(const std::array<double, 3>& place) {
  state u{};
  for (std::size_t m = 0; m < values; ++m) {
    const std::array<double, 13>& c = coefficients[m];
    u[m] = c[0];
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = place[d];
      u[m] += x * (c[1 + d] + x * (c[4 + d] + x * (c[7 + d] + x * c[10 + d])));
    }
  }
  return u;
}

/// Fluxes, diffusion and viscosity along one direction: second differences of u and of what is
/// derived from it, first differences of what flows.
void add_flow(const mesh& size, const state* u, const derived* points, std::size_t d, state& to) {
  const double per_length = size.per_length();
  const double t1 = per_length * per_length;
  const double t2 = per_length / 2;
  const std::size_t stride = size.stride(d);
  const state& here = *u;
  const state& next = *(u + stride);
  const state& last = *(u - stride);
  const derived& h = *points;
  const derived& n = *(points + stride);
  const derived& l = *(points - stride);
  const double viscosity = c3c4 * t1;
  const auto second = [](double after, double at, double before) {
    return after - 2 * at + before;
  };
  const double to_next = n.velocity[d];
  const double to_last = l.velocity[d];
  const double diffuse = diffusion[d] * t1;
  for (std::size_t m = 0; m < values; ++m) to[m] += diffuse * second(next[m], here[m], last[m]);
  to[0] -= t2 * (next[1 + d] - last[1 + d]);
  for (std::size_t m = 0; m < 3; ++m) {
    to[1 + m] +=
        (m == d ? 4.0 / 3 : 1) * viscosity * second(n.velocity[m], h.velocity[m], l.velocity[m]) -
        t2 * (next[1 + m] * to_next - last[1 + m] * to_last);
  }
  to[1 + d] -= t2 * c2 * (next[4] - n.kinetic_energy - last[4] + l.kinetic_energy);
  to[4] +=
      viscosity *
          ((1 - c1c5) * second(n.kinetic, h.kinetic, l.kinetic) +
           1.0 / 6 * second(to_next * to_next, h.velocity[d] * h.velocity[d], to_last * to_last) +
           c1c5 * second(next[4] * n.inverse_density, here[4] * h.inverse_density,
                         last[4] * l.inverse_density)) -
      t2 * ((c1 * next[4] - c2 * n.kinetic_energy) * to_next -
            (c1 * last[4] - c2 * l.kinetic_energy) * to_last);
}

/// Fourth differences that damp, one-sided next to the edges (RNR-94-007, section 3.3).
void add_dissipation(const mesh& size, const state* u, std::size_t d, std::size_t index,
                     state& to) {
  const std::size_t stride = size.stride(d);
  const std::size_t inner = size.n - 2;
  const bool first = index == 1;
  const bool last = index == inner;
  for (std::size_t m = 0; m < values; ++m) {
    double sum = (first || last ? 5 : 6) * (*u)[m];
    if (!first) sum -= 4 * (*(u - stride))[m];
    if (!last) sum -= 4 * (*(u + stride))[m];
    if (index > 2) sum += (*(u - 2 * stride))[m];
    if (index + 1 < inner) sum += (*(u + 2 * stride))[m];
    to[m] -= dissipation * sum;
  }
}

}  // namespace

derived derive(const state& u) {
  derived of{};
  of.inverse_density = 1 / u[0];
  for (std::size_t m = 0; m < 3; ++m) of.velocity[m] = u[1 + m] * of.inverse_density;
  of.kinetic_energy = 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) * of.inverse_density;
  of.kinetic = of.kinetic_energy * of.inverse_density;
  return of;
}

state exact(const mesh& size, std::size_t i, std::size_t j, std::size_t k) {
  const double length = size.per_length();
  return exact_at({static_cast<double>(i) / length, static_cast<double>(j) / length,
                   static_cast<double>(k) / length});
}

void start(const mesh& size, state* u, range planes) {
  const std::size_t edge = size.edge();
  for (std::size_t k = planes.first; k < planes.last; ++k) {
    for (std::size_t j = 0; j < size.n; ++j) {
      for (std::size_t i = 0; i < size.n; ++i) {
        state& at = u[size.at(i, j, k)];
        const bool inside = i % edge != 0 && j % edge != 0 && k % edge != 0;
        if (!inside) {
          at = exact(size, i, j, k);
          continue;
        }
        const std::array<std::array<state, 2>, 3> faces{
            {{exact(size, 0, j, k), exact(size, edge, j, k)},
             {exact(size, i, 0, k), exact(size, i, edge, k)},
             {exact(size, i, j, 0), exact(size, i, j, edge)}}};
        const std::array<double, 3> place{static_cast<double>(i) / size.per_length(),
                                          static_cast<double>(j) / size.per_length(),
                                          static_cast<double>(k) / size.per_length()};
        for (std::size_t m = 0; m < values; ++m) {
          std::array<double, 3> p{};
          for (std::size_t d = 0; d < 3; ++d) {
            p[d] = (1 - place[d]) * faces[d][0][m] + place[d] * faces[d][1][m];
          }
          at[m] = p[0] + p[1] + p[2] - p[0] * p[1] - p[1] * p[2] - p[2] * p[0] + p[0] * p[1] * p[2];
        }
      }
    }
  }
}

void derive(const mesh& size, const state* u, derived* points, range planes) {
  for (std::size_t p = size.at(0, 0, planes.first); p < size.at(0, 0, planes.last); ++p) {
    points[p] = derive(u[p]);
  }
}

void right_hand_side(const mesh& size, const state* u, const derived* points, state* to,
                     range planes) {
  const std::size_t first = std::max<std::size_t>(planes.first, 1);
  const std::size_t last = std::min(planes.last, size.edge());
  for (std::size_t k = first; k < last; ++k) {
    for (std::size_t j = 1; j < size.edge(); ++j) {
      for (std::size_t i = 1; i < size.edge(); ++i) {
        const std::size_t at = size.at(i, j, k);
        const std::array<std::size_t, 3> index{i, j, k};
        state sum{};
        for (std::size_t d = 0; d < 3; ++d) {
          add_flow(size, u + at, points + at, d, sum);
          add_dissipation(size, u + at, d, index[d], sum);
        }
        to[at] = sum;
      }
    }
  }
}

state error_squares(const mesh& size, const state* u, range planes) {
  state sum{};
  for (std::size_t k = planes.first; k < planes.last; ++k) {
    for (std::size_t j = 0; j < size.n; ++j) {
      for (std::size_t i = 0; i < size.n; ++i) {
        const state wanted = exact(size, i, j, k);
        for (std::size_t m = 0; m < values; ++m) {
          const double off = wanted[m] - u[size.at(i, j, k)][m];
          sum[m] += off * off;
        }
      }
    }
  }
  return sum;
}

state squares(const mesh& size, const state* r, range planes) {
  state sum{};
  const std::size_t first = std::max<std::size_t>(planes.first, 1);
  const std::size_t last = std::min(planes.last, size.edge());
  for (std::size_t k = first; k < last; ++k) {
    for (std::size_t j = 1; j < size.edge(); ++j) {
      for (std::size_t i = 1; i < size.edge(); ++i) {
        for (std::size_t m = 0; m < values; ++m) {
          sum[m] += r[size.at(i, j, k)][m] * r[size.at(i, j, k)][m];
        }
      }
    }
  }
  return sum;
}

double root_mean(const mesh& size, double sum) {
  const double inner = static_cast<double>(size.n - 2);
  return std::sqrt(sum / (inner * inner * inner));
}

}  // namespace npb::flow
