// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/rows.hpp"

#include "mapping/engine/simd.hpp"

namespace numatch::engine {

namespace {

/// Eight numbers that the compiler keeps in a register, from any address.
using eight = std::int32_t __attribute__((vector_size(32), aligned(4)));

inline __attribute__((always_inline)) void raise(eight& most, eight other) {
  most = most > other ? most : other;
}

inline __attribute__((always_inline)) void lower(eight& least, eight other) {
  least = least < other ? least : other;
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
    raise(most_a, blocks[i]);
    raise(most_b, blocks[i + 1]);
  }
  // Without branches: which lane wins is anybody's guess, and a wrong guess takes longer than all
  // of this.
  eight most = most_a;
  raise(most, most_b);
  raise(most, __builtin_shufflevector(most, most, 4, 5, 6, 7, 0, 1, 2, 3));
  raise(most, __builtin_shufflevector(most, most, 2, 3, 0, 1, 6, 7, 4, 5));
  raise(most, __builtin_shufflevector(most, most, 1, 0, 3, 2, 5, 4, 7, 6));
  const eight beyond = eight{} + INT32_MAX;
  eight place = most_a == most ? place_a : beyond;
  lower(place, most_b == most ? place_b : beyond);
  lower(place, __builtin_shufflevector(place, place, 4, 5, 6, 7, 0, 1, 2, 3));
  lower(place, __builtin_shufflevector(place, place, 2, 3, 0, 1, 6, 7, 4, 5));
  lower(place, __builtin_shufflevector(place, place, 1, 0, 3, 2, 5, 4, 7, 6));
  return static_cast<std::uint32_t>(place[0]);
}

}  // namespace numatch::engine
