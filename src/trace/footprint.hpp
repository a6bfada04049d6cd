// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// What a trace touches in all.
struct footprint {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t pages = 0;  ///< different pages
  std::uint64_t page_bytes = 4096;
};

/// Reads the whole trace; `progress` is called with the accesses (or TLB records) read so far. A
/// trace that was filtered by a TLB tells pages of its own page size, and neither reads nor writes.
result<footprint> measure_footprint(const reader& trace,
                                    const std::function<void(std::uint64_t)>& progress);

}  // namespace numatch::trace
