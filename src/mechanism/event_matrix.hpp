// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// A growing thread × thread matrix: LAPT's communication matrix, SAMMU's sharing matrix, the
/// oracle's sums.
/// Rows are as long as their highest column, so thousands of threads that share little cost little.
/// The diagonal stays 0: a thread that finds its own id shares with nobody.
class event_matrix {
 public:
  void add(std::uint32_t row, std::uint32_t column, double amount = 1) {
    if (row == column) return;
    std::vector<double>& cells = row_of(row);
    if (column >= cells.size()) cells.resize(column + 1);
    cells[column] += amount;
  }

  /// Makes room for a thread that has shared nothing yet.
  void note_thread(std::uint32_t thread) { row_of(thread); }

  /// Threads that rows were made for; columns may go further.
  std::size_t rows() const { return rows_.size(); }

  void scale(double factor) {
    for (std::vector<double>& cells : rows_) {
      for (double& cell : cells) cell *= factor;
    }
  }

  sharing_matrix sharing() const {
    std::size_t threads = rows_.size();
    for (const std::vector<double>& cells : rows_) threads = std::max(threads, cells.size());
    sharing_matrix matrix(threads);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < rows_[i].size(); ++j) matrix.set(i, j, rows_[i][j]);
    }
    return matrix;
  }

 private:
  std::vector<double>& row_of(std::uint32_t row) {
    if (row >= rows_.size()) rows_.resize(row + 1);
    return rows_[row];
  }
  std::vector<std::vector<double>> rows_;
};

}  // namespace numatch
