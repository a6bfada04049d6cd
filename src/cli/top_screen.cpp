// SPDX-License-Identifier: Apache-2.0
#include "cli/top_screen.hpp"

#include <algorithm>

#include "cli/top_blocks.hpp"
#include "report/format.hpp"

namespace numatch::cli {

namespace {

using report::fit;
using report::pad;

constexpr std::size_t thread_columns = 53;
constexpr std::size_t gap = 2;
constexpr std::size_t least_side_columns = 12;

void append(lines& all, const lines& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// `right` beside `left`, whose lines take `width` columns.
lines side_by_side(const lines& left, const lines& right, std::size_t width) {
  lines joined;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = i < left.size() ? left[i] : "";
    if (i < right.size()) line = pad(line, width + gap) + right[i];
    joined.push_back(line);
  }
  return joined;
}

lines clipped(lines all, const screen_size& size) {
  if (size.rows != 0 && all.size() > size.rows) all.resize(size.rows);
  for (std::string& line : all) {
    line = size.columns == 0 ? "" : fit(line, size.columns);
    while (line.ends_with(' ')) line.pop_back();
  }
  return all;
}

/// Everything below each other, for a script or a file.
lines stacked(const live::program_picture& picture, const top_view& view, const screen_size& size) {
  const std::vector<std::size_t> listed = listed_threads(picture, view.order);
  constexpr std::size_t all_rows = 1'000'000;
  lines all = sensing_block(picture, view);
  all.emplace_back();
  append(all, nodes_block(picture, all_rows));
  all.emplace_back();
  append(all, threads_block(picture, listed, view, all_rows));
  if (!picture.sensing.sensor.empty()) {
    const lines heat = heat_block(picture, {size.columns, 64});
    if (!heat.empty()) all.emplace_back();
    append(all, heat);
    all.emplace_back();
    append(all, pages_block(picture, listed, view, all_rows));
  }
  all.emplace_back();
  all.emplace_back("measured: cpu, node, CPU share, memory; sampled: uses, local, sharing, pages");
  return clipped(std::move(all), size);
}

lines as_screen(const live::program_picture& picture, const top_view& view,
                const screen_size& size) {
  const std::vector<std::size_t> listed = listed_threads(picture, view.order);
  lines all = sensing_block(picture, view);
  all.front() += "   h: help  q: quit";
  // Short screens keep the threads.
  const std::size_t node_rows = size.rows < 16 ? 2 : size.rows / 4;
  append(all, nodes_block(picture, node_rows));
  if (size.rows >= 20) all.emplace_back();
  const std::size_t used = all.size() + 1;
  const std::size_t rows = size.rows > used ? size.rows - used : 0;
  const lines threads = threads_block(picture, listed, view, rows);
  if (picture.sensing.sensor.empty() || size.columns < thread_columns + gap + least_side_columns) {
    append(all, threads);
    return clipped(std::move(all), size);
  }
  const lines side = view.pages
                         ? pages_block(picture, listed, view, rows)
                         : heat_block(picture, {size.columns - thread_columns - gap, rows + 1});
  append(all, side_by_side(threads, side, thread_columns));
  return clipped(std::move(all), size);
}

}  // namespace

std::vector<std::string> top_lines(const live::program_picture& picture, const top_view& view,
                                   const screen_size& size) {
  if (view.help) return clipped(help_block(), size);
  return size.rows == 0 ? stacked(picture, view, size) : as_screen(picture, view, size);
}

std::vector<std::string> top_lines(const live::machine_picture& picture, const top_view& view,
                                   const screen_size& size) {
  if (view.help) return clipped(help_block(), size);
  lines all{fmt::format("{} programs of {} NUMA node{}, most remote memory first{}",
                        picture.programs.size(), picture.nodes, picture.nodes == 1 ? "" : "s",
                        view.paused ? ", paused" : "")};
  all.push_back(fmt::format(
      "measured from /proc, nothing is sensed{}",
      picture.hidden == 0 ? "" : fmt::format("; {} of other users are hidden", picture.hidden)));
  all.emplace_back();
  all.emplace_back("    pid  name              threads      memory      remote  share");
  const std::size_t first =
      std::min(view.first, picture.programs.empty() ? 0 : picture.programs.size() - 1);
  for (std::size_t i = first; i < picture.programs.size(); ++i) {
    const live::program_row& row = picture.programs[i];
    const double share =
        row.bytes == 0 ? 0 : static_cast<double>(row.remote_bytes) / static_cast<double>(row.bytes);
    all.push_back(fmt::format("{:>7}  {} {:>7} {:>11} {:>11} {:>6}", row.pid,
                              pad(fit(row.name, 17), 17), row.threads, report::bytes(row.bytes),
                              report::bytes(row.remote_bytes), report::percent(share)));
  }
  all.emplace_back();
  all.emplace_back("remote: memory on nodes where none of the program's threads ran last");
  return clipped(std::move(all), size);
}

}  // namespace numatch::cli
