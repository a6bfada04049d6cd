// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "mapping/mapper.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch {

/// Threads that one PU may hold: ceil(threads / pus).
constexpr std::size_t capacity_of_pu(std::size_t threads, std::size_t pus) {
  return (threads + pus - 1) / pus;
}

/// Moves threads off over-full PUs until the capacity rule holds, each time the move that raises
/// the cost least (lowest thread, then lowest PU on a tie). Deterministic.
void respect_capacity(thread_mapping& mapping, const sharing_graph& graph,
                      const distance_table& distances);

}  // namespace numatch
