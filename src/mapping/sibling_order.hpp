// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mapping/mapper.hpp"

namespace numatch {

/// Swaps equal parts of the machine until they are filled in the order of their lowest thread:
/// thread 0 is on the first PU, and mappings that differ only in which of two equal nodes is which
/// become the same. The cost stays as it is where distances follow the tree. `machine` must be even
/// (arities() not empty).
void order_siblings(thread_mapping& mapping, const topology& machine);

}  // namespace numatch
