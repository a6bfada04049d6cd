// SPDX-License-Identifier: Apache-2.0
#include "report/strip.hpp"

#include <algorithm>

namespace numatch::report {

namespace {

/// A run of pages that takes room, with the place of its first page among all that do.
struct placed_run {
  std::uint64_t first, end, place;
};

std::vector<placed_run> place_runs(const std::vector<page_run>& runs, bool only_shared) {
  std::vector<placed_run> placed;
  std::uint64_t place = 0;
  for (const page_run& run : runs) {
    if (only_shared && !run.shared()) continue;
    placed.push_back({run.first.value, run.first.value + run.pages, place});
    place += run.pages;
  }
  return placed;
}

/// Rows of equal numbers of used pages; the last one may have fewer.
std::vector<page_strip::row> make_rows(const std::vector<placed_run>& placed,
                                       std::uint64_t per_row) {
  std::vector<page_strip::row> rows;
  for (const placed_run& run : placed) {
    std::uint64_t first = run.first;
    while (first < run.end) {
      const std::uint64_t place = run.place + (first - run.first);
      if (place % per_row == 0) rows.push_back({page_number(first), page_number(first), 0});
      const std::uint64_t taken = std::min(run.end - first, per_row - place % per_row);
      rows.back().pages += taken;
      rows.back().last = page_number(first + taken - 1);
      first += taken;
    }
  }
  return rows;
}

struct user {
  thread_id thread;
  double accesses;
};

void add(std::vector<user>& users, thread_id thread, double accesses) {
  for (user& known : users) {
    if (known.thread == thread) {
      known.accesses += accesses;
      return;
    }
  }
  users.push_back({thread, accesses});
}

page_strip::cell make_cell(std::size_t row, std::size_t column, const std::vector<user>& users) {
  page_strip::cell cell;
  cell.row = static_cast<std::uint32_t>(row);
  cell.column = static_cast<std::uint32_t>(column);
  cell.threads = static_cast<std::uint32_t>(users.size());
  double most = -1;
  for (const user& u : users) {
    cell.accesses += u.accesses;
    if (u.accesses > most || (u.accesses == most && u.thread < cell.thread)) {
      most = u.accesses;
      cell.thread = u.thread;
    }
  }
  cell.share = most / cell.accesses;
  return cell;
}

}  // namespace

page_strip draw_strip(const profile& learned, const std::vector<page_run>& runs, bool only_shared,
                      std::size_t most_rows, std::size_t most_columns) {
  page_strip strip;
  const std::vector<placed_run> placed = place_runs(runs, only_shared);
  if (placed.empty()) return strip;
  const std::uint64_t pages = placed.back().place + (placed.back().end - placed.back().first);
  const std::uint64_t per_row = (pages + most_rows - 1) / most_rows;
  strip.rows = make_rows(placed, per_row);

  std::uint32_t windows = static_cast<std::uint32_t>(learned.windows.size());
  for (const page_use& use : learned.pages) windows = std::max(windows, use.window + 1);
  const std::size_t per_column = (windows + most_columns - 1) / most_columns;
  const std::size_t columns = std::max<std::size_t>((windows + per_column - 1) / per_column, 1);
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t first = c * per_column;
    const std::size_t last = std::min<std::size_t>(windows, first + per_column) - 1;
    const bool timed = last < learned.windows.size();
    strip.columns.push_back(
        timed ? page_strip::column{learned.windows[first].start, learned.windows[last].end}
              : page_strip::column{});
  }

  std::vector<std::vector<user>> users(strip.rows.size() * columns);
  for (const page_use& use : learned.pages) {
    const double accesses = static_cast<double>(use.reads + use.writes);
    if (accesses == 0) continue;
    const std::uint64_t use_end = use.first_page.value + use.pages;
    std::vector<placed_run>::const_iterator run =
        std::upper_bound(placed.begin(), placed.end(), use.first_page.value,
                         [](std::uint64_t page, const placed_run& r) { return page < r.end; });
    for (; run != placed.end() && run->first < use_end; ++run) {
      const std::uint64_t first = std::max(run->first, use.first_page.value);
      const std::uint64_t end = run->place + (std::min(run->end, use_end) - run->first);
      for (std::uint64_t place = run->place + (first - run->first); place < end;) {
        const std::uint64_t row = place / per_row;
        const std::uint64_t taken = std::min(end, (row + 1) * per_row) - place;
        add(users[row * columns + use.window / per_column], use.thread,
            accesses * static_cast<double>(taken));
        place += taken;
      }
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (!users[i].empty()) strip.cells.push_back(make_cell(i / columns, i % columns, users[i]));
  }
  return strip;
}

}  // namespace numatch::report
