// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "npb/common/random.hpp"
#include "npb/common/sharing.hpp"

namespace npb {

/// Rows of a sparse matrix one after the other: those of row i are begin[i] to begin[i + 1] - 1.
struct sparse_rows {
  std::size_t* begin;
  unsigned* column;
  double* value;
};

/// The matrix of CG (RNR-94-007, section 2.2.3): the sum over i of w^i x_i x_i^T, where x_i is a
/// sparse random vector whose i-th element is 1/2, w^n is 0.1, and 0.1 - shift is added to the
/// diagonal. Keeps the vectors; the rows are filled by the threads that own them.
class sparse_pattern {
 public:
  sparse_pattern(std::size_t rows, std::size_t nonzeros, double shift)
      : shift_(shift), users_(rows), begin_(rows + 1) {
    draw(rows, nonzeros);
    std::vector<std::size_t> seen(rows, rows);
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t different = 0;
      for (const use& one : users_[row]) {
        for (const element& other : vectors_[one.vector]) {
          if (seen[other.place] != row) ++different;
          seen[other.place] = row;
        }
      }
      begin_[row + 1] = begin_[row] + different;
    }
  }

  std::size_t entries() const { return begin_.back(); }

  /// Writes these rows, columns in rising order. Threads may fill different rows at once.
  void fill(const sparse_rows& to, range rows) const {
    const std::size_t count = users_.size();
    const double ratio = std::pow(condition, 1 / static_cast<double>(count));
    std::vector<double> sum(count);
    std::vector<std::size_t> seen(count, count);
    std::vector<unsigned> columns;
    if (rows.first == 0) to.begin[0] = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
      columns.clear();
      for (const use& one : users_[row]) {
        const double scale = std::pow(ratio, static_cast<double>(one.vector)) * one.value;
        for (const element& other : vectors_[one.vector]) {
          if (seen[other.place] != row) {
            seen[other.place] = row;
            sum[other.place] = 0;
            columns.push_back(other.place);
          }
          sum[other.place] += scale * other.value;
        }
      }
      sum[row] += condition - shift_;
      std::sort(columns.begin(), columns.end());
      std::size_t next = begin_[row];
      for (const unsigned column : columns) {
        to.column[next] = column;
        to.value[next++] = sum[column];
      }
      to.begin[row + 1] = next;
    }
  }

 private:
  static constexpr double condition = 0.1;

  struct element {
    unsigned place;
    double value;
  };
  struct use {
    std::size_t vector;
    double value;
  };

  /// Draws the vectors: pairs of a value and a place, the place being drawn again when it is
  /// outside or already taken. The first number of the sequence is not used.
  void draw(std::size_t rows, std::size_t nonzeros) {
    random_numbers random(314159265);
    random.next();
    std::size_t power = 1;
    while (power < rows) power *= 2;
    vectors_.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      std::vector<element>& vector = vectors_[i];
      const auto has = [&vector](std::size_t place) {
        return std::find_if(vector.begin(), vector.end(),
                            [place](const element& e) { return e.place == place; });
      };
      while (vector.size() < nonzeros) {
        const double value = random.next();
        const auto place = static_cast<unsigned>(static_cast<double>(power) * random.next());
        if (place < rows && has(place) == vector.end()) vector.push_back({place, value});
      }
      if (has(i) == vector.end()) vector.push_back({static_cast<unsigned>(i), 0});
      has(i)->value = 0.5;
      for (const element& e : vector) users_[e.place].push_back({i, e.value});
    }
  }

  double shift_;
  std::vector<std::vector<element>> vectors_;
  std::vector<std::vector<use>> users_;  // for each row, the vectors that have an element there
  std::vector<std::size_t> begin_;
};

}  // namespace npb
