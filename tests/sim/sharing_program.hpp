// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/program.hpp"

namespace numatch::sim {

/// Who shares memory with whom in a program of eight threads that goes through its memory again and
/// again.
enum class sharing : std::uint8_t {
  neighbours,      ///< half is the thread's own, a quarter shared with either neighbour in a chain
  own,             ///< nothing is shared
  everybody,       ///< all use the same 2 MiB, each in an order of its own
  cache_resident,  ///< 4 KiB of its own
};

/// Threads use one 8-byte word per 32 bytes, in order, and write every fourth of them; an access
/// takes 16 instructions. `rounds` times through 1 MiB per thread, 2 MiB for
/// `everybody`, 250 × `rounds` times for `cache_resident`. The seed draws the order of the pieces.
std::unique_ptr<program> sharing_program(sharing how, std::uint64_t rounds, std::uint64_t seed = 1);

}  // namespace numatch::sim
