// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mapping/mapper.hpp"

namespace numatch {

double mapping_cost(const sharing_matrix& sharing, const thread_mapping& mapping,
                    const distance_table& distances) {
  // In tiles, because one of the two directions of a pair lies across the matrix.
  constexpr std::size_t tile = 64;
  const std::size_t threads = sharing.size();
  double cost = 0;
  for (std::size_t row = 0; row < threads; row += tile) {
    const std::size_t row_end = std::min(row + tile, threads);
    for (std::size_t column = row; column < threads; column += tile) {
      const std::size_t column_end = std::min(column + tile, threads);
      for (std::size_t i = row; i < row_end; ++i) {
        for (std::size_t j = std::max(column, i + 1); j < column_end; ++j) {
          const double shared = sharing.between(i, j);
          if (shared == 0) continue;
          cost += shared * distances.at(mapping.pu_of[i], mapping.pu_of[j]);
        }
      }
    }
  }
  return cost;
}

double stable_move_cost(const mapping_request& request) {
  constexpr double hundredth = 0.01;
  const double cost = mapping_cost(request.sharing, *request.current, request.distances);
  return hundredth * cost / static_cast<double>(request.sharing.size());
}

double share_in_node(const sharing_matrix& sharing, const thread_mapping& mapping,
                     const topology& machine) {
  double inside = 0;
  double total = 0;
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = i + 1; j < sharing.size(); ++j) {
      const double shared = sharing.between(i, j);
      total += shared;
      if (machine.node_of(mapping.pu_of[i]) == machine.node_of(mapping.pu_of[j])) inside += shared;
    }
  }
  return total > 0 ? inside / total : 1;
}

}  // namespace numatch
