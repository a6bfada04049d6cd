// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace numatch {

/// Number of single-character edits (insert, delete, replace, swap of neighbours) from a to b.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `word`, or an empty string when none is near enough to be meant.
std::string nearest_name(std::string_view word, std::span<const std::string_view> known);

/// "did you mean 'oracle'?" or, where nothing is near, "known: lapt, oracle, sammu".
std::string suggest(std::string_view word, std::span<const std::string_view> known);

}  // namespace numatch
