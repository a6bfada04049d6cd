// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch::test {

/// Synthetic sharing patterns; a pair shares 100 where the pattern says so.
inline void link(sharing_matrix& m, std::size_t i, std::size_t j, double amount = 100) {
  m.add(i, j, amount / 2);
  m.add(j, i, amount / 2);
}
inline sharing_matrix chain(std::size_t n) {
  sharing_matrix m(n);
  for (std::size_t i = 0; i + 1 < n; ++i) link(m, i, i + 1);
  return m;
}
inline sharing_matrix ring(std::size_t n) {
  sharing_matrix m = chain(n);
  link(m, n - 1, 0);
  return m;
}
inline sharing_matrix groups_of(std::size_t size, std::size_t n) {
  sharing_matrix m(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (i / size == j / size) link(m, i, j);
    }
  }
  return m;
}
inline sharing_matrix all_to_all(std::size_t n) {
  return groups_of(n, n);
}
inline sharing_matrix star(std::size_t n, std::size_t master) {
  sharing_matrix m(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i != master) link(m, master, i);
  }
  return m;
}
inline sharing_matrix grid_of(std::size_t width, std::size_t height) {
  sharing_matrix m(width * height);
  for (std::size_t i = 0; i < width * height; ++i) {
    if ((i + 1) % width != 0) link(m, i, i + 1);
    if (i + width < width * height) link(m, i, i + width);
  }
  return m;
}
/// Stages of the given sizes; every thread feeds every thread of the next stage. Directed: row to
/// column.
inline sharing_matrix stages_of(const std::vector<std::size_t>& sizes) {
  sharing_matrix m(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}));
  std::size_t start = 0;
  for (std::size_t s = 0; s + 1 < sizes.size(); ++s) {
    for (std::size_t i = 0; i < sizes[s]; ++i) {
      for (std::size_t j = 0; j < sizes[s + 1]; ++j) m.set(start + i, start + sizes[s] + j, 100);
    }
    start += sizes[s];
  }
  return m;
}

/// Adds a random amount between 0 and 2 × `level` × 100 ÷ n to every pair, so that the noise a
/// thread sees is about `level` × 100 in all; then scales every cell by 1 ± 0.2.
inline sharing_matrix noisy(const sharing_matrix& clean, double level, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  sharing_matrix m = clean;
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = i + 1; j < m.size(); ++j) {
      const double background = unit(random) * level * 100 / static_cast<double>(m.size());
      const double scale = 0.8 + 0.4 * unit(random);
      m.set(i, j, scale * m.at(i, j) + background);
      m.set(j, i, scale * m.at(j, i) + background);
    }
  }
  return m;
}

inline std::vector<std::size_t> shuffled(std::size_t n, unsigned seed) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}
/// Thread i becomes thread name[i].
inline sharing_matrix renamed(const sharing_matrix& m, const std::vector<std::size_t>& name) {
  sharing_matrix out(m.size());
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m.size(); ++j) out.set(name[i], name[j], m.at(i, j));
  }
  return out;
}

}  // namespace numatch::test
