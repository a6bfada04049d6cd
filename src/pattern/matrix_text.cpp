// SPDX-License-Identifier: Apache-2.0
#include "pattern/matrix_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include "base/atomic_file.hpp"

namespace numatch {

namespace {

bool separates(char c) {
  return c == ' ' || c == '\t' || c == ',' || c == '\r';
}

/// Reads the numbers of one line; remembers how long the first row was.
class matrix_parser {
 public:
  explicit matrix_parser(std::string where) : where_(std::move(where)) {}

  result<void> line(std::string_view text, std::size_t number);
  result<square_table> finish();

 private:
  result<double> cell(std::string_view word, std::size_t number) const;
  tl::unexpected<error> wrong(std::size_t number, std::string what) const {
    return fail(fmt::format("{}:{}", where_, number), std::move(what));
  }

  std::string where_;
  std::vector<double> cells_;
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::size_t first_line_ = 0;
};

result<double> matrix_parser::cell(std::string_view word, std::size_t number) const {
  double value = 0;
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const std::string shown(word.substr(0, 40));
  if (problem == std::errc::result_out_of_range) {
    return wrong(number, fmt::format("'{}' is too large or too small for a number", shown));
  }
  if (problem != std::errc() || end != digits.data() + digits.size()) {
    return wrong(number, fmt::format("'{}' is not a number", shown));
  }
  if (std::isnan(value)) return wrong(number, "the matrix has a NaN");
  if (std::isinf(value)) return wrong(number, "the matrix has an infinite number");
  if (value < 0) return wrong(number, fmt::format("the matrix has a negative number ({})", shown));
  return value;
}

result<void> matrix_parser::line(std::string_view text, std::size_t number) {
  text = text.substr(0, text.find('#'));
  std::size_t columns = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (separates(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !separates(text[end])) ++end;
    const result<double> value = cell(text.substr(at, end - at), number);
    if (!value) return tl::unexpected(value.error());
    cells_.push_back(*value);
    ++columns;
    at = end;
  }
  if (columns == 0) return {};
  if (rows_ == 0) {
    columns_ = columns;
    first_line_ = number;
  }
  if (columns != columns_) {
    return wrong(number, fmt::format("this row has {} numbers, the one in line {} has {}", columns,
                                     first_line_, columns_));
  }
  ++rows_;
  return {};
}

result<square_table> matrix_parser::finish() {
  if (rows_ == 0) {
    return fail(where_, "the matrix is empty", "write one row of numbers per thread");
  }
  if (rows_ != columns_) {
    return fail(where_,
                fmt::format("the matrix is not square: {} rows of {} numbers", rows_, columns_));
  }
  return square_table{rows_, std::move(cells_)};
}

sharing_matrix without_diagonal(const square_table& table) {
  sharing_matrix matrix(table.size);
  for (std::size_t i = 0; i < table.size; ++i) {
    for (std::size_t j = 0; j < table.size; ++j) {
      if (i != j) matrix.set(i, j, table.cells[i * table.size + j]);
    }
  }
  return matrix;
}

}  // namespace

result<square_table> parse_table(std::string_view text, const std::string& where) {
  matrix_parser parser(where);
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    if (result<void> r = parser.line(text.substr(at, end - at), number); !r) {
      return tl::unexpected(r.error());
    }
    at = end + 1;
  }
  return parser.finish();
}

result<square_table> read_table(const std::filesystem::path& path) {
  const result<std::string> text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  return parse_table(*text, path.string());
}

result<sharing_matrix> parse_matrix(std::string_view text, const std::string& where) {
  return parse_table(text, where).map(without_diagonal);
}

result<sharing_matrix> read_matrix(const std::filesystem::path& path) {
  return read_table(path).map(without_diagonal);
}

std::string format_matrix(const sharing_matrix& matrix) {
  std::string text;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      if (j != 0) text += ' ';
      fmt::format_to(std::back_inserter(text), "{}", matrix.at(i, j));
    }
    text += '\n';
  }
  return text;
}

}  // namespace numatch
