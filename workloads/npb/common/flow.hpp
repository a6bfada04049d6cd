// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "npb/common/array.hpp"
#include "npb/common/sharing.hpp"

/// What SP and LU have in common (RNR-94-007, section 3): a synthetic compressible flow in a unit
/// cube whose exact solution is a polynomial, its discretisation, its start and its error.
namespace npb::flow {

inline constexpr std::size_t values = 5;  // density, momentum along x, y, z, energy
using state = std::array<double, values>;

inline constexpr double c1 = 1.4;  // ratio of specific heats
inline constexpr double c2 = 0.4;
inline constexpr double c3c4 = 0.1;  // viscosity
inline constexpr double c1c5 = 1.4 * 1.4;
inline constexpr std::array<double, 3> diffusion{0.75, 0.75, 1.0};  // along x, y, z
inline constexpr double dissipation = 1.0 / 4;                      // a quarter of the largest

/// A cube of n^3 points, x fastest. The outermost points keep the exact solution.
struct mesh {
  explicit mesh(std::size_t points) : n(points) {}

  std::size_t n;
  std::size_t points() const { return n * n * n; }
  std::size_t at(std::size_t i, std::size_t j, std::size_t k) const { return (k * n + j) * n + i; }
  /// How far the next point along x, y or z is.
  std::size_t stride(std::size_t direction) const {
    return direction == 0 ? 1 : direction == 1 ? n : n * n;
  }
  double per_length() const { return static_cast<double>(n - 1); }
  std::size_t edge() const { return n - 1; }
};

/// What the residual needs of each point besides its state.
struct derived {
  double inverse_density;
  std::array<double, 3> velocity;
  double kinetic;         // per mass: half of the velocity's square
  double kinetic_energy;  // per volume
};

derived derive(const state& u);

/// The exact solution at a point of the cube.
state exact(const mesh& size, std::size_t i, std::size_t j, std::size_t k);

/// The start: exact on the faces, blended between them inside. Each thread writes its planes.
void start(const mesh& size, state* u, range planes);

/// Writes `points` for these planes of u.
void derive(const mesh& size, const state* u, derived* points, range planes);

/// to = the equations' right-hand side for u, without forcing, at the inner points of these planes.
/// `points` are those of u, two planes further on either side.
void right_hand_side(const mesh& size, const state* u, const derived* points, state* to,
                     range planes);

/// The sum over these planes of (exact - u)^2.
state error_squares(const mesh& size, const state* u, range planes);
/// The sum over the inner points of these planes of r^2.
state squares(const mesh& size, const state* r, range planes);
/// Root mean square over the inner points, from the sum over all threads.
double root_mean(const mesh& size, double sum);

}  // namespace npb::flow
