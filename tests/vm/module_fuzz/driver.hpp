// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "module_fuzz/common.hpp"

namespace fuzz {

/// Three threads that do everything to a few open files of the module's device, until it is killed
/// or its parent ends.
[[noreturn]] void be_driver(common& all, std::uint64_t seed);

}  // namespace fuzz
