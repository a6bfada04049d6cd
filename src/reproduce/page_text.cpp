// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "reproduce/page.hpp"

namespace numatch::reproduce {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t figure_title_width = 46;
constexpr std::size_t sweep_width = 12;  ///< of a point

void add_note(std::string& text, const std::string& note) {
  for (const std::string& line : report::wrap(note, width - 2)) text += "  " + line + "\n";
}

void add_table(std::string& text, const page_table& table) {
  std::size_t first = 0;
  for (const page_row& row : table.rows) first = std::max(first, report::columns(row.title));
  // As many columns as fit; the others follow below.
  std::size_t next = 0;
  text += fmt::format("\n{}{}\n", entry_of(table.what).label,
                      table.relative ? ", change against the baseline" : "");
  while (next < table.columns.size()) {
    std::size_t last = next;
    std::size_t used = 2 + first;
    std::vector<std::size_t> widths;
    while (last < table.columns.size()) {
      const std::size_t own = std::max<std::size_t>(9, report::columns(table.columns[last])) + 2;
      if (used + own > width && last > next) break;
      widths.push_back(own);
      used += own;
      ++last;
    }
    std::string head = "  " + report::pad("", first);
    for (std::size_t c = next; c < last; ++c) {
      head += report::pad_left(table.columns[c], widths[c - next]);
    }
    text += head + "\n";
    for (const page_row& row : table.rows) {
      text += "  " + report::pad(row.title, first);
      for (std::size_t c = next; c < last; ++c) {
        text += report::pad_left(cell_text(row.cells[c], table.relative), widths[c - next]);
      }
      text += "\n";
    }
    next = last;
  }
}

void add_figures(std::string& text, const std::vector<page_figure>& figures) {
  if (figures.empty()) return;
  text += "\nPublished and ours\n";
  text += "  " + report::pad("", figure_title_width) + report::pad_left("published", 11) +
          report::pad_left("ours", 11) + "\n";
  for (const page_figure& figure : figures) {
    const published_figure& published = figure.published;
    const bool relative = entry_of(published.what).relative;
    const std::string title = fmt::format("{}, {}, {}", published.mechanism,
                                          entry_of(published.what).key, published.over);
    text += "  " + report::pad(report::fit(title, figure_title_width), figure_title_width) +
            report::pad_left(cell_text({published.percent, ""}, relative), 11) +
            report::pad_left(cell_text({figure.ours, "–"}, relative), 11);
    if (!figure.of.empty()) text += " " + figure.of;
    text += "\n";
    for (const std::string& line : report::wrap(published.where, width - 6)) {
      text += "      " + line + "\n";
    }
  }
}

/// The matrices themselves are pictures for the page; here is how like the oracle's they are.
void add_matrices(std::string& text, const std::vector<page_matrix>& matrices) {
  if (matrices.empty()) return;
  text += "\nSharing matrices, correlation with the oracle's, pairs that share\n";
  std::size_t first = 6;
  for (const page_matrix& matrix : matrices) {
    first = std::max(first, report::columns(matrix.program));
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const bool next = i == 0 || matrices[i].program != matrices[i - 1].program;
    if (next) text += (i == 0 ? "  " : "\n  ") + report::pad(matrices[i].program, first + 2);
    const std::string value =
        matrices[i].like_oracle ? fmt::format("{:.2f}", *matrices[i].like_oracle) : "–";
    text += fmt::format("  {} {} ({})", matrices[i].detector, value, matrices[i].pairs);
  }
  text += "\n";
}

void add_sweep(std::string& text, const page_sweep& sweep) {
  text += fmt::format("\n{} ({})\n", sweep.title, sweep.key);
  for (const std::string& note : sweep.notes) add_note(text, note);
  for (const page_sweep_table& table : sweep.tables) {
    const quantity_entry& entry = entry_of(table.what);
    text +=
        fmt::format("  {}{}\n", entry.label, entry.relative ? ", change against the baseline" : "");
    std::size_t first = 0;
    for (const page_sweep_table::line& line : table.lines) {
      first = std::max(first, report::columns(line.program) + 1 + report::columns(line.run));
    }
    std::string head = "    " + report::pad("", first);
    for (const std::string& point : sweep.points) head += report::pad_left(point, sweep_width);
    text += head + "\n";
    for (const page_sweep_table::line& line : table.lines) {
      text += "    " + report::pad(line.program + " " + line.run, first);
      for (const std::optional<double>& value : line.values) {
        text += report::pad_left(value_text(value, table.what), sweep_width);
      }
      text += "\n";
    }
  }
}

}  // namespace

std::string text_of(const page& made) {
  std::string text = made.title + "\n";
  for (const std::string& note : made.notes) add_note(text, note);
  for (const page_paper& paper : made.papers) {
    text += fmt::format("\n{}\n", paper.title);
    add_note(text, fmt::format("Simulated on {}.", paper.machine));
    for (const std::string& note : paper.notes) add_note(text, note);
    for (const page_table& table : paper.tables) add_table(text, table);
    add_matrices(text, paper.matrices);
    for (const page_sweep& sweep : paper.sweeps) add_sweep(text, sweep);
    add_figures(text, paper.figures);
  }
  return text;
}

}  // namespace numatch::reproduce
