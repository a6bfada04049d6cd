// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "profiler/profile_builder.hpp"

namespace numatch {

/// Called now and then with the accesses done and those of the whole trace.
using profile_progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

/// Replays the trace and learns from it what `wanted` detects, who used which page when, and which
/// data that is. Memory: that of the observers plus one chunk per thread.
result<profile> profile_trace(const trace::reader& trace, const mechanism_entry& wanted,
                              const profile_options& options,
                              const profile_progress& progress = {});

}  // namespace numatch
