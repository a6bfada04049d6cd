// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/mapping/instances.hpp"
#include "mapping/mapper.hpp"

namespace numatch::bench {

/// Every pair's amount times a random factor of 1 - share .. 1 + share.
sharing_matrix with_noise(const sharing_matrix& sharing, double share, std::uint64_t seed);

/// A way to answer again after the matrix has changed.
struct remapping {
  std::string name;
  std::string algorithm;  ///< name in all_algorithms()
  mapping_budget budget = mapping_budget::standard;
  bool knows_current = false;
  double move_cost = 0;  ///< in costs of an average thread: cost of the mapping / threads
};

/// Mean over several matrices. Costs are compared with those of a fresh mapping of the changed
/// matrix by `numatch`, or by `scotch` where that is not there.
struct stability_row {
  std::string name;
  double moved = 0;        ///< share of the threads that move
  double above_fresh = 0;  ///< cost above the fresh mapping's, as a share
  std::size_t stayed = 0;  ///< matrices on which nothing moved
  /// Matrices on which threads moved for less than their moves cost: must be 0.
  std::size_t unpaid = 0;
};

/// The questions of the table: staying, fresh mappings, and mappings that know the current one with
/// several move costs.
std::vector<remapping> usual_remappings();

/// Maps every instance, changes the matrix by `noise` and maps again in every way. The first row is
/// "stay".
result<std::vector<stability_row>> measure_stability(const std::vector<instance>& instances,
                                                     double noise,
                                                     const std::vector<remapping>& ways);

}  // namespace numatch::bench
