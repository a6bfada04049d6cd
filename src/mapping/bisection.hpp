// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/mapper.hpp"

namespace numatch {

/// Halves the PUs again and again so that near ones stay together. number[pu] is the PU's place in
/// the binary tree: the root is 1, the halves of n are 2n and 2n + 1. The numbers stay below
/// 8 × the number of PUs. For machines whose distances do not follow their tree.
std::vector<std::uint32_t> bisect_by_distance(const distance_table& distances);

}  // namespace numatch
