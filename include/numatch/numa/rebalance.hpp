// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace numatch {
inline namespace numa_v1 {

/// Which node each part should be on.
struct rebalance_plan {
  std::vector<std::size_t> node_of_part;  ///< by part
  std::size_t moves = 0;                  ///< parts that change their node
  double heaviest_before = 0;             ///< load of the node with the most
  double heaviest_after = 0;              ///< the same after the moves
};

/// Evens out the load of the nodes with few moves: from the heaviest node to the lightest goes the
/// part that leaves the smaller of the two heaviest, as long as the heaviest node gets lighter.
/// `load[part]`: any measure that adds up, not negative.
rebalance_plan plan_rebalance(std::span<const double> load,
                              std::span<const std::size_t> node_of_part, std::size_t nodes);

}  // namespace numa_v1
}  // namespace numatch
