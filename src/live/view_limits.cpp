// SPDX-License-Identifier: Apache-2.0
#include "live/view_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace numatch::live {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t bytes_per_table_page = 512 * page_bytes;
constexpr std::uint32_t least_pages = 4096;
constexpr std::uint64_t upper_levels = 8;  ///< pages of a view above those that hold its entries

}  // namespace

std::uint32_t table_pages_for(const view_needs& needs) {
  const std::uint64_t per_view = needs.resident_bytes / bytes_per_table_page + upper_levels;
  const std::uint64_t wanted =
      std::max(needs.views * per_view * 3 / 2, needs.memory_bytes / 1000 / page_bytes);
  const std::uint64_t least = std::min(least_pages, needs.most_pages);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, least, needs.most_pages));
}

void view_limits::note(const numatch_start& asked, const numatch_stats& before,
                       const numatch_stats& now) {
  asked_ = asked;
  too_many_threads_ = too_many_threads_ || now.threads >= asked.threads;
  without_view_ += now.without_view - before.without_view;
  without_tables_ += now.dropped_full - before.dropped_full;
}

std::vector<std::string> view_limits::reached() const {
  std::vector<std::string> lines;
  if (too_many_threads_) {
    lines.push_back(fmt::format(
        "the module tells {} threads of a program apart: later ones are not seen", asked_.threads));
  } else if (without_view_ != 0) {
    lines.push_back(fmt::format("the module has {} views: threads beyond ran {} times unseen",
                                asked_.views, without_view_));
  }
  if (without_tables_ != 0) {
    lines.push_back(fmt::format(
        "the {:.1f} MiB for the views' page tables are used up: {} times a thread went "
        "on unseen",
        static_cast<double>(asked_.table_pages * page_bytes) / (1024.0 * 1024.0), without_tables_));
  }
  return lines;
}

}  // namespace numatch::live
