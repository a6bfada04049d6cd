// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/mapping/instances.hpp"
#include "mapping/mapper.hpp"

namespace numatch::bench {

/// How long to search.
struct search_effort {
  std::uint64_t proposals = 0;  ///< exchanges tried, all restarts together
  std::uint64_t seed = 1;
};

/// A mapping and the way it was found.
struct found_mapping {
  thread_mapping mapping;
  double cost = 0;
  std::string how;  ///< "planted", "annealing", or the name of an algorithm
};

/// The yardstick of the bench: simulated annealing on exchanges of two places, of a thread with a
/// free place, and of two equal parts of the machine, from random placements and from the best one
/// known; independent of the mapping algorithms. Every PU holds at most ceil(threads / PUs). The
/// machine may be no tree; distances must be symmetric. The request's allowed PUs, pins, weights
/// and policy are not looked at. `starts` are mappings to improve; they must keep to the capacity.
/// Deterministic: work is counted in proposals, not in time.
found_mapping search_reference(const mapping_request& request, const search_effort& effort,
                               std::span<const thread_mapping> starts);

/// Placements from the pattern's own order: the machine's levels cut it along its coordinates in
/// every order of cuts, up to a few thousand; the cheapest counts. Needs a machine whose tree is
/// even.
found_mapping best_planted(const mapping_request& request,
                           std::span<const std::array<std::uint32_t, 3>> place);

}  // namespace numatch::bench
