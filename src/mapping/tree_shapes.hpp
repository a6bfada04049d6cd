// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/pu_tree.hpp"

namespace numatch {

/// shape[level][group]: groups of a level with equal numbers have the same parts, in any order.
std::vector<std::vector<std::uint32_t>> shapes_of(const pu_tree& tree);

}  // namespace numatch
