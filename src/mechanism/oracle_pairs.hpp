// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "mechanism/event_matrix.hpp"
#include "pattern/granule_counts.hpp"

namespace numatch::oracle {

/// One thread's use of one granule.
struct granule_use {
  std::uint64_t granule = 0;
  std::uint32_t thread = 0;
  use_count use;
};

/// For every granule and every pair of threads that used it adds min(accesses of i, accesses of j)
/// to (i, j) and (j, i); with `writes_only` only where at least one of the two wrote it. Sorts
/// `uses`; a thread's use of a granule may be in several pieces.
void add_pairs(std::vector<granule_use>& uses, bool writes_only, event_matrix& sums);

}  // namespace numatch::oracle
