// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

// Numbers of variable length as in docs/trace-format.md: seven bits per byte, lowest first, the top
// bit says that more follow. Freestanding.

namespace numatch::trace {

inline constexpr unsigned max_varint_bytes = 10;

inline std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

/// Small distances of either sign become small numbers: 0, -1, 1, -2 → 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::uint64_t distance) {
  return (distance << 1) ^ (std::uint64_t{0} - (distance >> 63));
}
constexpr std::uint64_t unzigzag(std::uint64_t coded) {
  return (coded >> 1) ^ (std::uint64_t{0} - (coded & 1));
}

/// Squeezes the top bits out of eight bytes: 8 × 7 bits become 56.
constexpr std::uint64_t squeeze(std::uint64_t w) {
  w &= 0x7f7f7f7f7f7f7f7f;
  w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
  w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
  return (w & 0x000000000fffffff) | (w & 0x0fffffff00000000) >> 4;
}

inline bool get_long_varint(const std::uint8_t*& from, const std::uint8_t* end,
                            std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && from < end; shift += 7) {
    const std::uint8_t byte = *from++;
    if (shift == 63 && byte > 1) return false;
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Reads one number and moves `from` behind it; false when it is cut off or longer than 64 bits.
inline bool get_varint(const std::uint8_t*& from, const std::uint8_t* end, std::uint64_t& value) {
  if (from < end && *from < 0x80) {
    value = *from++;
    return true;
  }
  if (end - from < 8) return get_long_varint(from, end, value);
  std::uint64_t word;  // without branches: the lengths of numbers in a row are hard to predict
  __builtin_memcpy(&word, from, 8);
  const std::uint64_t stops = ~word & 0x8080808080808080;
  if (stops == 0) return get_long_varint(from, end, value);
  value = squeeze(word & (stops ^ (stops - 1)));
  from += __builtin_ctzll(stops) / 8 + 1;
  return true;
}

/// What a token of the access stream says (low two bits of its first number; the rest is the number
/// of predicted accesses before it).
enum class token : std::uint64_t {
  other_address = 0,           ///< the expected site, another address
  other_site = 1,              ///< another site, its expected address
  other_site_and_address = 2,  ///< another site, another address; or a new site
  new_block = 3,               ///< no access: a block begins
};

}  // namespace numatch::trace
