// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace numatch {

/// Thread × thread amounts of sharing, dense, in the unit of the detector that filled it (LAPT: TLB
/// misses, SAMMU: evictions, oracle: accesses). Element (i, j) is what i observed of j, so a
/// detector's matrix need not be symmetric; the diagonal is 0. Size N × N doubles.
class sharing_matrix {
 public:
  sharing_matrix() = default;
  explicit sharing_matrix(std::size_t threads) : size_(threads), cells_(threads * threads) {}

  std::size_t size() const { return size_; }
  double at(std::size_t i, std::size_t j) const { return cells_[i * size_ + j]; }
  void set(std::size_t i, std::size_t j, double value) { cells_[i * size_ + j] = value; }
  void add(std::size_t i, std::size_t j, double value) { cells_[i * size_ + j] += value; }
  /// at(i, j) + at(j, i): the weight of the undirected edge that mappers use.
  double between(std::size_t i, std::size_t j) const { return at(i, j) + at(j, i); }
  /// Row-major cells.
  std::span<const double> cells() const { return cells_; }
  double total() const;
  /// Keeps the old cells; new threads have shared nothing yet.
  void grow(std::size_t threads);
  void scale(double factor);
  friend bool operator==(const sharing_matrix&, const sharing_matrix&) = default;

 private:
  std::size_t size_ = 0;
  std::vector<double> cells_;
};

/// Pearson's correlation of the pairs i < j of both matrices, made symmetric by between(). Both
/// must have the same size.
double correlation(const sharing_matrix& a, const sharing_matrix& b);

}  // namespace numatch
