// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/format.hpp"
#include "report/shade.hpp"
#include "report/text.hpp"

namespace numatch::report {

namespace {

constexpr std::size_t most_threads = 64;
constexpr std::size_t most_wide_threads = 32;

/// Column numbers: two digits side by side where a cell has two columns, else one above the other.
std::string column_numbers(const std::vector<thread_id>& order, bool wide) {
  if (wide) {
    std::string line = "      ";
    for (thread_id t : order) line += fmt::format("{:>2}", t.value % 100);
    return line + "\n";
  }
  std::string tens = "      ";
  std::string ones = "      ";
  for (thread_id t : order) {
    tens += t.value >= 10 ? fmt::format("{}", t.value / 10 % 10) : " ";
    ones += fmt::format("{}", t.value % 10);
  }
  return tens + "\n" + ones + "\n";
}

}  // namespace

std::string text_heat_map(const sharing_matrix& sharing, const std::vector<thread_id>& order) {
  if (order.size() > most_threads || order.size() < 2) return {};
  double highest = 0;
  for (thread_id a : order) {
    for (thread_id b : order) {
      if (a != b) highest = std::max(highest, sharing.between(a.index(), b.index()));
    }
  }
  if (highest <= 0) return {};
  const bool wide = order.size() <= most_wide_threads;
  std::string text = column_numbers(order, wide);
  for (thread_id row : order) {
    text += fmt::format("  {:>3} ", row.value);
    for (thread_id column : order) {
      const double amount = sharing.between(row.index(), column.index());
      const std::string_view cell = row == column ? "╲" : shade(amount / highest);
      text += cell;
      if (wide) text += row == column ? "╲" : cell;
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  }
  text += fmt::format("      █ up to {} per pair, ▓ below 75 % of it, ▒ 50 %, ░ 25 %, · 5 %\n",
                      amount(highest));
  return text;
}

}  // namespace numatch::report
