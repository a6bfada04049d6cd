// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "pattern/profile.hpp"

namespace numatch::report {

/// 0.1234 → "12.3 %"; small shares keep a digit that is not 0: "0.04 %", "< 0.01 %".
std::string percent(double share);
/// 1234567 → "1.23 M"; below 1,000 as it is, without a fraction where it is whole.
std::string amount(double value);
/// 12345 → "12.1 KiB"
std::string bytes(std::uint64_t value);
/// "0–3, 7, 9" of sorted ids.
std::string id_list(const std::vector<thread_id>& ids);
/// "thread 3 (worker)" or "thread 3"
std::string thread_label(const profile& learned, thread_id id);
/// "make_grid, grid.c:41", or what is known of it; empty when nothing is.
std::string source_place(const data_object& object);
/// The bytes of a cache line set in `mask`, as ranges: "0–7, 16–23"; "–" for none.
std::string byte_ranges(std::uint64_t mask);

/// Columns that a text takes in a terminal: its UTF-8 characters.
std::size_t columns(std::string_view text);
/// At most `width` columns; a cut is marked by "…". Control characters become "·".
std::string fit(std::string_view text, std::size_t width);
/// Filled with spaces to `width` columns, on the right or on the left.
std::string pad(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);
/// Words broken into lines of at most `width` columns.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace numatch::report
