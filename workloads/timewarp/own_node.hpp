// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace timewarp {

/// Moves memory to the node of the calling thread: whole pages, those that were touched. numatch
/// hears of it, and a simulated machine does it; outside of a capture Linux does it, where there
/// are several nodes. The pages that Linux moved; it may refuse, then nothing changes.
std::size_t move_to_own_node(void* address, std::size_t bytes);

}  // namespace timewarp
