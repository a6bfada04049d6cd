// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// A sharing matrix as text: one row per line, numbers separated by blanks, tabs or commas, "#"
/// starts a comment, empty lines do not count. Row i, column j is what thread i observed of thread
/// j; numbers on the diagonal are read and dropped.
///
/// Errors, with the line: empty, not a number, NaN, infinite, negative, a row of another length,
/// not square. `where` (a file name) goes into the message.
result<sharing_matrix> parse_matrix(std::string_view text, const std::string& where);
result<sharing_matrix> read_matrix(const std::filesystem::path& path);

/// The same text form; every number reads back as the same double.
std::string format_matrix(const sharing_matrix& matrix);

}  // namespace numatch
