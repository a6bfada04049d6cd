// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch::report {

/// How much data flows in one direction, and through which stages: trophic levels and trophic
/// incoherence (MacKay, Johnson, Sansom, "How directed is a directed network?", 2020).
struct flow_levels {
  std::vector<double> height;  ///< per thread; a reader is 1 above its writer where all is coherent
  std::vector<int> stage;      ///< by gaps of more than √coherence ÷ 2 in height; lowest 0
  int stages = 0;
  /// 1 − Σ f_ij (h_j − h_i − 1)² / Σ f_ij: 1 where every flow climbs exactly one level, 0 where it
  /// goes round or both ways alike.
  double coherence = 0;
};

/// Heights minimise Σ f_ij (h_j − h_i − 1)², f = `flow` from row to column (a Laplacian system,
/// solved by conjugate gradients). Parts that do not touch each other each start at 0.
flow_levels find_levels(const sharing_matrix& flow);

}  // namespace numatch::report
