// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace numatch::live {

/// What a mapping's pages are.
enum class page_kind : std::uint8_t { heap, stack, anonymous, file, huge };
inline constexpr std::size_t page_kinds = 5;
std::string_view to_string(page_kind kind);

/// The pages of a mapping that are in memory: a line of /proc/PID/numa_maps.
struct mapped_pages {
  std::uint64_t first = 0;  ///< byte address
  std::string policy;       ///< "default", "interleave:0-3", "bind:1"
  page_kind kind = page_kind::anonymous;
  std::string file;  ///< empty unless it maps one
  std::uint64_t page_bytes = 4096;
  std::map<unsigned, std::uint64_t> pages_on;  ///< by the system's node number

  std::uint64_t bytes() const;
  std::uint64_t bytes_on(unsigned node) const;
};

/// Lines of a numa_maps file; one that cannot be understood is left out.
std::vector<mapped_pages> parse_numa_maps(std::string_view text);

}  // namespace numatch::live
