// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/rows.hpp"

#include "mapping/engine/simd.hpp"

namespace numatch::engine {

namespace {

/// Eight numbers that the compiler keeps in a register, from any address.
using eight = std::int32_t __attribute__((vector_size(32), aligned(4)));

/// In each lane the greater value, on a tie that of the lower place.
inline __attribute__((always_inline)) void keep_greater(eight& most, eight& place, eight other,
                                                        eight other_place) {
  const eight better = (other > most) | ((other == most) & (other_place < place));
  most = better ? other : most;
  place = better ? other_place : place;
}

}  // namespace

NUMATCH_SIMD void add_row_twice(std::int32_t* up, std::int32_t* down, const std::int32_t* row,
                                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    up[i] += 2 * row[i];
    down[i] -= 2 * row[i];
  }
}

NUMATCH_SIMD void add_row_times(std::int32_t* to, const std::int32_t* row, std::int32_t times,
                                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += times * row[i];
}

NUMATCH_SIMD void add_rows(std::int32_t* to, const std::int32_t* a, const std::int32_t* b,
                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

NUMATCH_SIMD void mask_row(std::int32_t* to, const std::int32_t* row, const std::int32_t* mask,
                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = row[i] | mask[i];
}

NUMATCH_SIMD std::uint32_t first_greatest(const std::int32_t* values, std::size_t count) {
  const eight* const blocks = reinterpret_cast<const eight*>(values);
  eight most_a = blocks[0];
  eight most_b = blocks[1];
  eight here = {0, 1, 2, 3, 4, 5, 6, 7};
  eight place_a = here;
  eight place_b = here + 8;
  for (std::size_t i = 2; i < count / 8; i += 2) {
    here += 16;
    const eight better_a = blocks[i] > most_a;
    const eight better_b = blocks[i + 1] > most_b;
    place_a = better_a ? here : place_a;
    place_b = better_b ? here + 8 : place_b;
    most_a = better_a ? blocks[i] : most_a;
    most_b = better_b ? blocks[i + 1] : most_b;
  }
  // Without branches: which lane wins is anybody's guess, and a wrong guess takes longer than all
  // of this.
  keep_greater(most_a, place_a, most_b, place_b);
  keep_greater(most_a, place_a, __builtin_shufflevector(most_a, most_a, 4, 5, 6, 7, 0, 1, 2, 3),
               __builtin_shufflevector(place_a, place_a, 4, 5, 6, 7, 0, 1, 2, 3));
  keep_greater(most_a, place_a, __builtin_shufflevector(most_a, most_a, 2, 3, 0, 1, 6, 7, 4, 5),
               __builtin_shufflevector(place_a, place_a, 2, 3, 0, 1, 6, 7, 4, 5));
  keep_greater(most_a, place_a, __builtin_shufflevector(most_a, most_a, 1, 0, 3, 2, 5, 4, 7, 6),
               __builtin_shufflevector(place_a, place_a, 1, 0, 3, 2, 5, 4, 7, 6));
  return static_cast<std::uint32_t>(place_a[0]);
}

}  // namespace numatch::engine
