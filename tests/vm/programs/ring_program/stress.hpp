// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "ring_program/memory.hpp"

namespace ring {

/// Until `stop`: the random operations of memory_stress on memory of its own, and on where `pages`
/// lie; never on what is in them. Returns how many went wrong.
unsigned stress_beside(const memory& pages, std::uint64_t seed, const std::atomic<bool>& stop);

}  // namespace ring
