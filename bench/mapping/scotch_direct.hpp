// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "bench/mapping/contenders.hpp"

namespace numatch::bench {

/// Scotch as a program would call it itself, without the repair and the order of the algorithm
/// "scotch": the default strategy, quality, recursive bipartitioning with quality and balance (all
/// with an imbalance of 1 %), and the best of ten seeds of the default. Idle PUs get threads that
/// share nothing. The target is built beforehand; graph, strategy and mapping are measured.
std::vector<std::unique_ptr<contender>> scotch_contenders();

/// Wall time of calls of Scotch's default.
struct scotch_wall_times {
  double median = 0;
  double slowest_tenth = 0;  ///< 90th percentile
};
/// With one thread in a context of its own, or as many threads as Scotch chooses by itself.
result<scotch_wall_times> scotch_wall(const mapping_request& request, bool one_thread,
                                      unsigned calls);

}  // namespace numatch::bench
