// SPDX-License-Identifier: Apache-2.0
#include "live/huge_ranges.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "live/proc_text.hpp"
#include "live/system_tree.hpp"
#include "live/text_fields.hpp"

namespace numatch::live {

namespace {

/// "7f00-7f80 rw-p ...": nullopt for the lines that follow it.
std::optional<byte_range> range_of(std::string_view line) {
  byte_range range;
  const std::string_view first = take_until(line, '-');
  const std::string_view end = take_until(line, ' ');
  if (!parse_number(first, 16, range.first) || !parse_number(end, 16, range.end)) {
    return std::nullopt;
  }
  return range;
}

bool says_huge(std::string_view line) {
  for (const std::string_view name :
       {"AnonHugePages", "ShmemPmdMapped", "FilePmdMapped", "Shared_Hugetlb", "Private_Hugetlb"}) {
    const std::optional<std::string_view> kilobytes = status_field(line, name);
    if (kilobytes) return leading_number<std::uint64_t>(*kilobytes).value_or(0) > 0;
  }
  return false;
}

}  // namespace

range_set huge_ranges(std::string_view smaps) {
  range_set huge;
  std::optional<byte_range> current;
  while (!smaps.empty()) {
    const std::string_view line = take_until(smaps, '\n');
    if (const std::optional<byte_range> next = range_of(line)) {
      current = next;
    } else if (current && says_huge(line)) {
      huge.add(*current);
      current.reset();
    }
  }
  return huge;
}

range_set huge_ranges_of(const observed_process& process) {
  const std::string folder = fmt::format("/proc/{}/", process.pid());
  std::string sums = read_proc(folder + "smaps_rollup").value_or("");
  bool any = false;
  for (std::string_view rest = sums; !rest.empty();) any = says_huge(take_until(rest, '\n')) || any;
  if (!any) return {};
  return huge_ranges(read_proc(folder + "smaps").value_or(""));
}

std::uint64_t huge_page_bytes() {
  constexpr std::uint64_t usual = 2 << 20;
  return system_tree("/")
      .number<std::uint64_t>("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
      .value_or(usual);
}

}  // namespace numatch::live
