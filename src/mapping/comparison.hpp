// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mapping/mapper.hpp"

namespace numatch {

/// What one algorithm makes of a request.
struct compared_algorithm {
  std::string algorithm;
  std::optional<mapping_answer> answer;  ///< nothing where it has none
  double share_in_node = 1;
  std::string problem;  ///< why there is no answer
};

/// Asks each algorithm. One that has no answer (`exact` above its size) does not spoil the others.
std::vector<compared_algorithm> compare_algorithms(
    std::span<const mapping_algorithm* const> algorithms, const mapping_request& request);

}  // namespace numatch
