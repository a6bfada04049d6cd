// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace numatch {

/// The TLB of every thread; the default is that of LAPT's and SAMMU's simulated machine.
struct tlb_geometry {
  std::uint32_t entries = 64;
  std::uint32_t ways = 4;
  std::uint64_t page_bytes = 4096;

  std::uint32_t sets() const { return entries / ways; }
  /// "64 entries, 4 ways, pages of 4096 bytes"
  std::string text() const;
  friend bool operator==(const tlb_geometry&, const tlb_geometry&) = default;
};

/// What the user asked for; what is empty is left to the trace or to the default.
struct tlb_request {
  std::optional<std::uint32_t> entries{};
  std::optional<std::uint32_t> ways{};
  std::optional<std::uint64_t> page_bytes{};
};

/// Entries a power-of-two multiple of the ways, pages a power of two from 1 KiB to 1 GiB. `filter`
/// is the trace's ("none" or "tlb:entries=64,ways=4,page=4096"): of a filtered trace the geometry
/// is fixed, and asking for another one is an error.
result<tlb_geometry> choose_tlb(const tlb_request& asked, std::string_view filter);

}  // namespace numatch
