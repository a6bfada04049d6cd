// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "live/observed_process.hpp"
#include "pattern/profile.hpp"

namespace numatch::live {

/// The data that pages with uses belong to, as far as the mappings tell: the heap, the first
/// thread's stack, files (all mappings of one are one object), and anonymous mappings by their
/// address. `uses` is sorted as profile::pages is; only objects with uses are listed, those with
/// most uses first.
std::vector<data_object> mapped_objects(std::span<const page_use> uses,
                                        const std::map<std::uint64_t, mapped_range>& mappings);

}  // namespace numatch::live
