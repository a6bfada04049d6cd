// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

// What eight threads do to memory, for two programs: one makes the simulated machine's input of it,
// the other does it, so that cachegrind can watch.

namespace numatch::bench {

enum class access_pattern : std::uint8_t {
  friendly,  ///< 16 KiB of its own, in order; now and then a neighbour's
  stream,    ///< three arrays of 1 MiB of its own, in order; now and then a neighbour's
  hostile,   ///< 256 KiB that all threads read and write at random
};
inline constexpr std::array<std::string_view, 3> pattern_names{"friendly", "stream", "hostile"};

inline std::optional<access_pattern> pattern_named(std::string_view name) {
  for (std::size_t i = 0; i < pattern_names.size(); ++i) {
    if (pattern_names[i] == name) return static_cast<access_pattern>(i);
  }
  return std::nullopt;
}

inline constexpr unsigned pattern_threads = 8;
inline constexpr std::uint64_t bytes_of_thread = std::uint64_t{4} << 20U;
inline constexpr std::uint64_t bytes_of_all = pattern_threads * bytes_of_thread;
/// Once through the arrays of `stream`.
inline constexpr std::uint64_t accesses_of_round = 3 * (std::uint64_t{1} << 17U);

/// Calls touch(offset, write) for each access of one round of one thread: 8 bytes, offsets from 0
/// to bytes_of_all. Every round is the same.
template <class Touch>
void do_round(access_pattern pattern, unsigned thread, Touch&& touch) {
  constexpr std::uint64_t array_distance = 0x140000;
  const std::uint64_t own = thread * bytes_of_thread;
  const std::uint64_t neighbour = (thread + 1) % pattern_threads * bytes_of_thread;
  std::uint64_t drawn = thread + 1;
  for (std::uint64_t i = 0; i < accesses_of_round; ++i) {
    drawn = drawn * 6364136223846793005U + 1442695040888963407U;
    const std::uint64_t high = drawn >> 40U;
    const std::uint64_t element = i / 3;
    const bool third = i % 3 == 2;
    switch (pattern) {
      case access_pattern::friendly:
        touch(high % 128 == 0 ? neighbour + i * 8 % 0x1000 : own + i * 8 % 0x4000, third);
        break;
      case access_pattern::stream:
        touch(high % 64 == 0 ? neighbour + element * 8 % 0x1000
                             : own + i % 3 * array_distance + element * 8,
              third);
        break;
      case access_pattern::hostile:
        touch(high % 0x8000 * 8, (high >> 20U) % 2 == 1);
        break;
    }
  }
}

}  // namespace numatch::bench
