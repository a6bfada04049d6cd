// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace numatch::engine {

/// Sums over rows of whole numbers, eight of them at a time where the processor can. Thread safe.
/// Rows are read and written up to a multiple of `row_lanes`.
inline constexpr std::size_t row_lanes = 16;
constexpr std::size_t padded(std::size_t count) {
  return (count + row_lanes - 1) / row_lanes * row_lanes;
}

/// up += 2 row, down -= 2 row
void add_row_twice(std::int32_t* up, std::int32_t* down, const std::int32_t* row,
                   std::size_t count);
/// to += times x row
void add_row_times(std::int32_t* to, const std::int32_t* row, std::int32_t times,
                   std::size_t count);
/// to = a + b
void add_rows(std::int32_t* to, const std::int32_t* a, const std::int32_t* b, std::size_t count);
/// to = row with the bits of mask
void mask_row(std::int32_t* to, const std::int32_t* row, const std::int32_t* mask,
              std::size_t count);
/// Place of the first greatest value; `count` > 0 is a multiple of row_lanes.
std::uint32_t first_greatest(const std::int32_t* values, std::size_t count);

}  // namespace numatch::engine
