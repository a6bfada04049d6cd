// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch::report {

/// A division of the threads into groups that share more inside than across.
struct communities {
  std::vector<std::size_t> of;  ///< of[thread] = group, numbered by their lowest thread
  std::size_t count = 0;
  double inside = 0;  ///< share of the weight between threads of the same group, 0..1
  /// Newman's modularity: `inside` minus what the same threads would have inside by chance, where
  /// the weight of a pair is proportional to the product of its threads' weights.
  double modularity = 0;
};

/// The Louvain method (Blondel et al., 2008): threads move to the group that raises modularity
/// most, groups become vertices, and so on. Deterministic. `weights` is symmetric.
communities find_communities(const sharing_matrix& weights);

}  // namespace numatch::report
