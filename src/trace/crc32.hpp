// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

// CRC-32 as in zlib, Ethernet and PNG (polynomial 0x04c11db7, reflected), eight bytes at a time.
// Our own so that the recorder brings no zlib into the observed program. Freestanding.

namespace numatch::trace {

namespace crc32_detail {
consteval std::array<std::array<std::uint32_t, 256>, 8> make_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320U : 0U);
    tables[0][byte] = rest;
  }
  for (std::size_t behind = 1; behind < 8; ++behind) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[behind - 1][byte];
      tables[behind][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
inline constexpr std::array<std::array<std::uint32_t, 256>, 8> tables = make_tables();
}  // namespace crc32_detail

/// The CRC of the bytes that gave `before` followed by these; start with 0.
inline std::uint32_t crc32(std::uint32_t before, const void* bytes, std::size_t count) {
  const auto& table = crc32_detail::tables;
  const unsigned char* p = static_cast<const unsigned char*>(bytes);
  std::uint32_t crc = ~before;
  for (; count >= 8; count -= 8, p += 8) {
    std::uint64_t eight;
    __builtin_memcpy(&eight, p, 8);
    eight ^= crc;
    crc = table[7][eight & 0xff] ^ table[6][(eight >> 8) & 0xff] ^ table[5][(eight >> 16) & 0xff] ^
          table[4][(eight >> 24) & 0xff] ^ table[3][(eight >> 32) & 0xff] ^
          table[2][(eight >> 40) & 0xff] ^ table[1][(eight >> 48) & 0xff] ^ table[0][eight >> 56];
  }
  for (; count > 0; --count, ++p) crc = (crc >> 8) ^ table[0][(crc ^ *p) & 0xff];
  return ~crc;
}

}  // namespace numatch::trace
