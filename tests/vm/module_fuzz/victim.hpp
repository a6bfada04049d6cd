// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fuzz {

/// A process to be observed: three threads that use memory, map and unmap it, fork and execute,
/// until it is killed or its parent ends.
[[noreturn]] void be_victim(std::uint64_t seed);

}  // namespace fuzz
