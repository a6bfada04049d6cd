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

/// What a pair of threads i and j shares in a granule.
enum class pair_count : std::uint8_t {
  transfers,  ///< min(accesses of i, accesses of j, writes of i + writes of j)
  accesses,   ///< min(accesses of i, accesses of j)
};

/// For every granule and every pair of threads that used it adds what they share in it to (i, j)
/// and (j, i). Sorts `uses`; a thread's use of a granule may be in several pieces.
void add_pairs(std::vector<granule_use>& uses, pair_count count, event_matrix& sums);

}  // namespace numatch::oracle
