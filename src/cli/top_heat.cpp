// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "cli/top_blocks.hpp"
#include "report/format.hpp"
#include "report/shade.hpp"

namespace numatch::cli {

namespace {

constexpr std::size_t label_columns = 4;

/// The sums of `group` neighbours each; what threads of one group share is on the diagonal.
sharing_matrix joined(const sharing_matrix& sharing, std::size_t group) {
  sharing_matrix sums((sharing.size() + group - 1) / group);
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < sharing.size(); ++j) {
      sums.add(i / group, j / group, sharing.at(i, j));
    }
  }
  return sums;
}

double highest_of(const sharing_matrix& cells) {
  double highest = 0;
  for (const double cell : cells.cells()) highest = std::max(highest, cell);
  return highest;
}

}  // namespace

lines heat_block(const live::program_picture& picture, const screen_size& room) {
  const std::size_t threads = picture.sharing.size();
  constexpr std::size_t title_rows = 2;
  if (threads < 2 || room.columns < label_columns + 2 || room.rows < title_rows + 2) return {};
  const std::size_t most = std::min(room.columns - label_columns, room.rows - title_rows);
  const std::size_t group = (threads + most - 1) / most;
  const sharing_matrix cells = joined(picture.sharing, group);
  const double highest = highest_of(cells);
  const bool wide = 2 * cells.size() <= room.columns - label_columns;
  lines block{group == 1 ? "who shares with whom" : fmt::format("sharing, {} to a cell", group)};
  std::string numbers(label_columns, ' ');
  for (std::size_t t = 0; t < cells.size() && group == 1; ++t) {
    numbers += fmt::format("{:>{}}", t % 10, wide ? 2 : 1);
  }
  block.push_back(highest > 0 ? numbers : "    none seen yet");
  for (std::size_t i = 0; i < cells.size() && highest > 0; ++i) {
    std::string row = fmt::format("{:>3} ", i * group);
    for (std::size_t j = 0; j < cells.size(); ++j) {
      const bool own = i == j && group == 1;
      const std::string_view cell = own ? "╲" : report::shade(cells.at(i, j) / highest);
      row += cell;
      if (wide) row += cell;
    }
    block.push_back(row);
  }
  return block;
}

}  // namespace numatch::cli
