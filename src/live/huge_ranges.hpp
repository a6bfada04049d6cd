// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "live/observed_process.hpp"
#include "live/range_set.hpp"

namespace numatch::live {

/// Mappings of a smaps file that hold huge pages: transparent ones, or of hugetlbfs.
range_set huge_ranges(std::string_view smaps);
/// Of a process; empty when it has none or has ended. Asks for the sum first, which is cheap.
range_set huge_ranges_of(const observed_process& process);
/// Bytes of a huge page that the kernel makes by itself.
std::uint64_t huge_page_bytes();

}  // namespace numatch::live
