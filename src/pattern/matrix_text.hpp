// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// A square of numbers >= 0, row-major.
struct square_table {
  std::size_t size = 0;
  std::vector<double> cells;
};

/// A matrix as text: one row per line, numbers separated by blanks, tabs or commas, "#" starts a
/// comment, empty lines do not count.
///
/// Errors, with the line: empty, not a number, NaN, infinite, negative, a row of another length,
/// not square. `where` (a file name) goes into the message.
result<square_table> parse_table(std::string_view text, const std::string& where);
result<square_table> read_table(const std::filesystem::path& path);

/// A sharing matrix: row i, column j is what thread i observed of thread j; numbers on the diagonal
/// are read and dropped.
result<sharing_matrix> parse_matrix(std::string_view text, const std::string& where);
result<sharing_matrix> read_matrix(const std::filesystem::path& path);

/// The same text form; every number reads back as the same double.
std::string format_matrix(const sharing_matrix& matrix);

}  // namespace numatch
