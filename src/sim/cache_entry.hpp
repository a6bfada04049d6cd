// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What a tag of a cache is: line << 22 | cores << 4 | state. In a chip's entry the state is a
// chip_state and `cores` says which cores of the chip may have a copy (core number modulo 16).

namespace numatch::sim {

/// A chip's state of a line.
enum class chip_state : std::uint8_t { nothing, shared, exclusive, owned, modified };

inline constexpr std::uint64_t core_bits = 16;
inline constexpr unsigned cores_shift = 4;
inline constexpr std::uint64_t empty_entry = ~std::uint64_t{0} << 22;

constexpr chip_state state_of_entry(std::uint64_t e) {
  return static_cast<chip_state>(e & 15);
}
constexpr std::uint64_t cores_of_entry(std::uint64_t e) {
  return (e >> cores_shift) & ((1U << core_bits) - 1);
}
constexpr std::uint64_t with_state(std::uint64_t e, chip_state state) {
  return (e & ~std::uint64_t{15}) | static_cast<std::uint64_t>(state);
}
constexpr std::uint64_t with_only_core(std::uint64_t e, unsigned bit) {
  constexpr std::uint64_t all = ((std::uint64_t{1} << core_bits) - 1) << cores_shift;
  return (e & ~all) | (std::uint64_t{1} << (bit + cores_shift));
}
constexpr std::uint64_t with_core(std::uint64_t e, unsigned bit) {
  return e | (std::uint64_t{1} << (bit + cores_shift));
}

/// Forgets what `at` points to; the entries behind it move up, so that free ways are at the end.
/// Where it is nobody can foresee, so every way is written.
inline void remove_entry(std::uint64_t* set, unsigned ways, const std::uint64_t* at) {
  std::uint64_t* const last = set + ways - 1;
  for (; set < last; ++set) *set = *(set + (set >= at));
  *last = empty_entry;
}

}  // namespace numatch::sim
