// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace numatch::sim {

/// Bit i is set when tags[i] >> shift == line, for i below count ≤ 64.
using tag_match = std::uint64_t (*)(const std::uint64_t* tags, unsigned count, unsigned shift,
                                    std::uint64_t line);

/// The fastest that this processor can run; all give the same answer.
tag_match best_tag_match();

}  // namespace numatch::sim
