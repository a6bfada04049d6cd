// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Also read by edmonds.cpp, which is C++17 because LEMON is.
namespace numatch {

/// An edge of a matching problem; a != b, weight >= 0 and finite.
struct weighted_pair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  double weight = 0;
};

inline constexpr std::uint32_t no_mate = ~0U;

/// The matching of greatest total weight (Edmonds 1965, by LEMON): mate[vertex], no_mate for one
/// that stays alone. Weights that are not whole numbers up to 2^40 are scaled to such. Each pair of
/// vertices at most once; O(n m log n).
std::vector<std::uint32_t> heaviest_matching(std::size_t vertices,
                                             const std::vector<weighted_pair>& pairs);

}  // namespace numatch
