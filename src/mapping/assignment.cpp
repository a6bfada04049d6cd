// SPDX-License-Identifier: Apache-2.0
#include "mapping/assignment.hpp"

#include <algorithm>
#include <limits>

namespace numatch {

namespace {
constexpr std::uint32_t nobody = ~0U;
}

std::span<const std::uint32_t> assignment_solver::solve(std::span<const std::int64_t> value,
                                                        std::size_t k) {
  column_price_.assign(k, 0);
  row_price_.resize(k);
  column_of_.assign(k, nobody);
  row_of_.assign(k, nobody);
  match_greedily(value, k);
  for (std::uint32_t row = 0; row < k; ++row) {
    if (column_of_[row] == nobody) augment(value, k, row);
  }
  return column_of_;
}

/// Prices are such that row price + column price >= value, and equal on matched pairs. A row starts
/// at its greatest value and takes a free column that has it.
void assignment_solver::match_greedily(std::span<const std::int64_t> value, std::size_t k) {
  for (std::uint32_t row = 0; row < k; ++row) {
    const std::span<const std::int64_t> of_row = value.subspan(row * k, k);
    row_price_[row] = *std::max_element(of_row.begin(), of_row.end());
    for (std::uint32_t column = 0; column < k; ++column) {
      if (row_of_[column] != nobody || of_row[column] != row_price_[row]) continue;
      row_of_[column] = row;
      column_of_[row] = column;
      break;
    }
  }
}

/// The cheapest chain of changes that gives `row` a column (Dijkstra over the columns; the slack
/// of a pair is what its prices exceed its value by).
void assignment_solver::augment(std::span<const std::int64_t> value, std::size_t k,
                                std::uint32_t row) {
  slack_.assign(k, std::numeric_limits<std::int64_t>::max());
  reached_from_.assign(k, nobody);  // the column whose row reaches this one; nobody: `row` itself
  done_.assign(k, 0);
  std::uint32_t from_column = nobody;
  std::uint32_t from_row = row;
  std::int64_t distance = 0;
  for (;;) {
    std::uint32_t nearest = nobody;
    for (std::uint32_t column = 0; column < k; ++column) {
      if (done_[column] != 0) continue;
      const std::int64_t way =
          distance + row_price_[from_row] + column_price_[column] - value[from_row * k + column];
      if (way < slack_[column]) {
        slack_[column] = way;
        reached_from_[column] = from_column;
      }
      if (nearest == nobody || slack_[column] < slack_[nearest]) nearest = column;
    }
    distance = slack_[nearest];
    from_column = nearest;
    if (row_of_[nearest] == nobody) break;
    done_[nearest] = 1;
    from_row = row_of_[nearest];
  }
  row_price_[row] -= distance;
  for (std::uint32_t column = 0; column < k; ++column) {
    if (done_[column] == 0) continue;
    column_price_[column] += distance - slack_[column];
    row_price_[row_of_[column]] -= distance - slack_[column];
  }
  while (from_column != nobody) {
    const std::uint32_t before = reached_from_[from_column];
    const std::uint32_t owner = before == nobody ? row : row_of_[before];
    row_of_[from_column] = owner;
    column_of_[owner] = from_column;
    from_column = before;
  }
}

}  // namespace numatch
