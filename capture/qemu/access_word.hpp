// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "qemu_api.hpp"

namespace numatch::qemu {

/// What QEMU's memory callback says about an access.
struct access_shape {
  bool store;
  std::uint32_t bytes;
};

/// Asks QEMU; two calls through the PLT, which nearly halves the rate of a capture.
struct word_by_api {
  static access_shape decode(qemu_plugin_meminfo_t word) {
    return {qemu_plugin_mem_is_store(word), 1U << qemu_plugin_mem_size_shift(word)};
  }
};

/// Reads the word itself: bit 17 says store, three bits from SizeBit on are log2 of the size.
template <unsigned SizeBit>
struct word_by_bits {
  static access_shape decode(qemu_plugin_meminfo_t word) {
    return {(word >> 17 & 1U) != 0, 1U << (word >> SizeBit & 7U)};
  }
};

/// True when reading the bits gives what this QEMU's own functions give, for every word that can
/// occur: sizes up to 32 bytes, every combination of the other bits below 18.
template <class Decoder>
bool agrees_with_api() {
  for (qemu_plugin_meminfo_t word = 0; word < 1U << 18; ++word) {
    const unsigned shift = qemu_plugin_mem_size_shift(word);
    if (shift > 5) continue;
    const access_shape shape = Decoder::decode(word);
    if (shape.store != qemu_plugin_mem_is_store(word) || shape.bytes != 1U << shift) return false;
  }
  return true;
}

}  // namespace numatch::qemu
