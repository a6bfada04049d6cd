// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"

// The equations of SAMMU as plain functions (section 2.2, 2.4, 2.6.1 and appendix A).

namespace numatch::sammu {

/// Eq. 1, for ac >= at: the average of both.
std::uint64_t raised_threshold(std::uint64_t at, std::uint64_t ac);

/// Eq. 3, for ac < at: at − (at − ac) × ac / at, rounded so that it never falls by more than 25 %
/// (appendix A). Both below 2^32.
std::uint64_t lowered_threshold_exact(std::uint64_t at, std::uint64_t ac);

/// Eq. 7, for ac < at: at − ((at − ac) >> (H(at) − H(ac))), the hardware's approximation of Eq. 3,
/// which may fall by almost half. H(0) is not defined: without accesses nothing changes.
std::uint64_t lowered_threshold_shift(std::uint64_t at, std::uint64_t ac);

/// NUMA counters and when a page moves.
struct node_rule {
  std::uint32_t counter_max = 15;  ///< 4 bits (table 1)
  std::uint32_t v_add = 2;
  std::uint32_t threshold = 10;  ///< NT
};

/// Eq. 5, saturating at 0 and counter_max.
void count_node(std::span<std::uint32_t> nc, node_id node, const node_rule& rule);

/// Eq. 6: the operating system is told that the page on `present` should move to `node`.
bool notifies(std::span<const std::uint32_t> nc, node_id node, node_id present,
              const node_rule& rule);

}  // namespace numatch::sammu
