// SPDX-License-Identifier: Apache-2.0
#include "pattern/sharing_matrix.hpp"

#include <numeric>
#include <stdexcept>

#include "base/statistics.hpp"

namespace numatch {

double sharing_matrix::total() const {
  return std::accumulate(cells_.begin(), cells_.end(), 0.0);
}

void sharing_matrix::grow(std::size_t threads) {
  if (threads <= size_) return;
  std::vector<double> cells(threads * threads);
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) cells[i * threads + j] = at(i, j);
  }
  cells_ = std::move(cells);
  size_ = threads;
}

void sharing_matrix::scale(double factor) {
  for (double& cell : cells_) cell *= factor;
}

double correlation(const sharing_matrix& a, const sharing_matrix& b) {
  if (a.size() != b.size()) throw std::invalid_argument("correlation: matrices differ in size");
  std::vector<double> pairs_a;
  std::vector<double> pairs_b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      pairs_a.push_back(a.between(i, j));
      pairs_b.push_back(b.between(i, j));
    }
  }
  return pearson(pairs_a, pairs_b);
}

}  // namespace numatch
