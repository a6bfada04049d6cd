// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "mapping/mapper.hpp"

namespace numatch {

distance_table::distance_table(const topology& machine)
    : size_(machine.pu_count()), counts_hops_(true) {
  cells_.resize(size_ * size_);
  for (std::uint32_t a = 0; a < size_; ++a) {
    for (std::uint32_t b = 0; b < size_; ++b) {
      cells_[a * size_ + b] = machine.distance(pu_id(a), pu_id(b));
    }
  }
}

result<distance_table> distance_table::from_cells(std::size_t pus, std::vector<double> cells) {
  if (cells.size() != pus * pus) {
    return fail("distances",
                fmt::format("{} numbers are not {} PUs x {} PUs", cells.size(), pus, pus));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (std::isfinite(cells[i]) && cells[i] >= 0) continue;
    return fail("distances", fmt::format("the distance from PU {} to PU {} is not a number >= 0",
                                         i / pus, i % pus));
  }
  for (std::size_t a = 1; a < pus; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double there = cells[b * pus + a];
      const double back = cells[a * pus + b];
      if (there == back) continue;
      return fail("distances",
                  fmt::format("from PU {} to PU {} it is {}, back it is {}", b, a, there, back),
                  "give the same distance in both directions, for instance the mean");
    }
  }
  distance_table table;
  table.size_ = pus;
  table.cells_ = std::move(cells);
  return table;
}

}  // namespace numatch
