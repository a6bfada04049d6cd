// SPDX-License-Identifier: Apache-2.0
#include "profiler/tlb_geometry.hpp"

#include <bit>
#include <charconv>

namespace numatch {

namespace {

constexpr std::uint64_t smallest_page = 1024;
constexpr std::uint64_t largest_page = std::uint64_t{1} << 30;
constexpr std::uint32_t most_entries = 1 << 20;

result<void> check(const tlb_geometry& tlb) {
  if (!std::has_single_bit(tlb.page_bytes) || tlb.page_bytes < smallest_page ||
      tlb.page_bytes > largest_page) {
    return fail("page size",
                fmt::format("{} is not a power of two from 1 KiB to 1 GiB", tlb.page_bytes));
  }
  if (tlb.ways == 0 || tlb.entries == 0 || tlb.entries > most_entries ||
      tlb.entries % tlb.ways != 0 || !std::has_single_bit(tlb.entries / tlb.ways)) {
    return fail("TLB",
                fmt::format("{} entries of {} ways do not make a power of two of sets", tlb.entries,
                            tlb.ways),
                "64 entries of 4 ways make 16");
  }
  return {};
}

/// The number behind `key=` in "tlb:entries=64,ways=4,page=4096".
std::uint64_t number_in(std::string_view filter, std::string_view key) {
  const std::size_t at = filter.find(key);
  if (at == std::string_view::npos) return 0;
  std::uint64_t number = 0;
  const std::string_view rest = filter.substr(at + key.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

}  // namespace

std::string tlb_geometry::text() const {
  return fmt::format("{} entries, {} ways, pages of {} bytes", entries, ways, page_bytes);
}

result<tlb_geometry> choose_tlb(const tlb_request& asked, std::string_view filter) {
  tlb_geometry tlb;
  const bool filtered = filter.starts_with("tlb:");
  if (filtered) {
    tlb.entries = static_cast<std::uint32_t>(number_in(filter, "entries="));
    tlb.ways = static_cast<std::uint32_t>(number_in(filter, "ways="));
    tlb.page_bytes = number_in(filter, "page=");
  }
  const tlb_geometry wanted{asked.entries.value_or(tlb.entries), asked.ways.value_or(tlb.ways),
                            asked.page_bytes.value_or(tlb.page_bytes)};
  if (result<void> sound = check(wanted); !sound) return tl::unexpected(sound.error());
  if (filtered && wanted != tlb) {
    return fail("", fmt::format("the trace was recorded behind a TLB of {}", tlb.text()),
                "record it without a filter to choose another TLB");
  }
  return wanted;
}

}  // namespace numatch
