// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mapping/mapper.hpp"

namespace numatch {

/// Thread i shares 1 with thread i + 1, and the last one with the first.
inline sharing_matrix ring(std::size_t threads) {
  sharing_matrix matrix(threads);
  for (std::size_t i = 0; i < threads; ++i) matrix.add(i, (i + 1) % threads, 1);
  return matrix;
}

/// Threads with the same remainder by `groups` share, no others do.
inline sharing_matrix clusters(std::size_t threads, std::size_t groups) {
  sharing_matrix matrix(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < threads; ++j) {
      if (i != j && i % groups == j % groups) matrix.set(i, j, 5);
    }
  }
  return matrix;
}

inline topology machine(const char* spec) {
  return topology::load(spec).value();
}

inline mapping_answer map(const char* algorithm, const sharing_matrix& sharing,
                          const topology& where, std::uint64_t seed = 1) {
  const distance_table distances(where);
  return map_threads(**find_algorithm(algorithm), {sharing, where, distances, seed}).value();
}

}  // namespace numatch
