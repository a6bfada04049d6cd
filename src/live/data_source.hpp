// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace numatch::live {

/// Where the data of a sampled access came from (union perf_mem_data_src).
enum class data_source : std::uint8_t {
  unknown,
  core_cache,    ///< levels 1 and 2, and the buffers before them
  shared_cache,  ///< level 3 or 4
  remote_cache,  ///< of another node
  local_memory,
  remote_memory,  ///< of another node
  other           ///< devices
};
inline constexpr std::size_t data_sources = 7;
/// "local memory"
std::string_view to_string(data_source where);

/// Accesses by data_source: how many, or their shares.
using source_counts = std::array<double, data_sources>;
/// Of the accesses whose source is known; all 0 where none is.
source_counts known_shares(const source_counts& counts);

}  // namespace numatch::live
