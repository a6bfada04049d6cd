// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace numatch::sim {

/// The frame that a node gives out as its `number`-th (from 0 on) where frames are drawn: a seeded
/// order of all 2^22 numbers of a range, so that none comes twice; larger numbers stay in their own
/// range of 2^22.
constexpr std::uint32_t drawn_frame(std::uint32_t number, std::uint64_t seed) {
  constexpr unsigned bits = 22;
  constexpr std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
  // Every step can be undone: adding, multiplying by an odd number, and mixing high bits into low
  // ones.
  std::uint32_t drawn = number & mask;
  std::uint64_t key = seed;
  for (int round = 0; round < 3; ++round) {
    key = key * 6364136223846793005U + 1442695040888963407U;
    drawn = (drawn + static_cast<std::uint32_t>(key >> 32)) & mask;
    drawn = (drawn * ((static_cast<std::uint32_t>(key >> 20) & mask) | 1U)) & mask;
    drawn ^= drawn >> (bits / 2);
  }
  return (number & ~mask) | drawn;
}

}  // namespace numatch::sim
