// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page_template.hpp"
#include "reproduce/page.hpp"
#include "reproduce/page_chart.hpp"

namespace numatch::reproduce {

namespace {

using report::escape_html;

constexpr std::string_view style = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
       color: #1b1f24; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.5rem } h3 { font-size: 1rem }
table { border-collapse: collapse; margin: .5rem 0 1.5rem }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #d8dde3 }
th:first-child, td:first-child, td.t { text-align: left }
tr.mean td { font-weight: 600; border-top: 2px solid #8a939d }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem } figure { margin: 0 }
svg { fill: #1f4e9c } .ground { fill: #eef1f5 } figcaption { font-size: .85rem }
.scroll { overflow-x: auto } .note { color: #57606a }
@media (prefers-color-scheme: dark) {
  body { color: #dde3ea; background: #14181d } th, td { border-color: #333b44 }
  .note { color: #97a1ac } svg { fill: #8ab4ff } .ground { fill: #222a33 }
})";

/// Green for what fell, red for what grew, as strong as it did; neutral for shares.
std::string shade_of(const page_cell& cell, bool relative) {
  if (!relative || !cell.percent) return "";
  const double strength = std::min(1.0, std::fabs(*cell.percent) / 60) * 0.45;
  return fmt::format(" style=\"background:rgba({},{:.3f})\"",
                     *cell.percent < 0 ? "38,152,82" : "205,72,58", strength);
}

std::string notes_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) {
    text += fmt::format("<p class=\"note\">{}</p>\n", escape_html(note));
  }
  return text;
}

std::string table_of(const page_table& table) {
  std::string text = fmt::format("<h3>{}{}</h3>\n<div class=\"scroll\"><table><thead><tr><th></th>",
                                 escape_html(entry_of(table.what).label),
                                 table.relative ? ", change against the baseline" : "");
  for (const std::string& column : table.columns) {
    text += fmt::format("<th>{}</th>", escape_html(column));
  }
  text += "</tr></thead><tbody>\n";
  for (const page_row& row : table.rows) {
    text += fmt::format("<tr{}><td>{}</td>", row.summary ? " class=\"mean\"" : "",
                        escape_html(row.title));
    for (const page_cell& cell : row.cells) {
      text += fmt::format("<td{}>{}</td>", shade_of(cell, table.relative),
                          escape_html(cell_text(cell, table.relative)));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string figures_of(const std::vector<page_figure>& figures) {
  if (figures.empty()) return "";
  std::string text =
      "<h3>Published and ours</h3>\n<div class=\"scroll\"><table><thead><tr><th>mechanism</th>"
      "<th>quantity</th><th>over</th><th>published</th><th>simulated here</th>"
      "<th>where it is published</th></tr></thead><tbody>\n";
  for (const page_figure& figure : figures) {
    const published_figure& published = figure.published;
    const bool relative = entry_of(published.what).relative;
    const std::string of = figure.of.empty() ? "" : fmt::format(" ({})", figure.of);
    text += fmt::format(
        "<tr><td>{}</td><td class=\"t\">{}</td><td class=\"t\">{}</td><td>{}</td><td>{}{}</td>"
        "<td class=\"t\">{}</td></tr>\n",
        escape_html(published.mechanism), escape_html(entry_of(published.what).label),
        escape_html(published.over), cell_text({published.percent, ""}, relative),
        cell_text({figure.ours, "–"}, relative), escape_html(of), escape_html(published.where));
  }
  return text + "</tbody></table></div>\n";
}

/// A square of cells, the darker the more, each matrix in parts of its own highest pair.
std::string picture_of(const page_matrix& matrix) {
  const std::size_t threads = matrix.sharing.size();
  const std::size_t cell = threads > 16 ? 6 : 14;
  double highest = 0;
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      highest = std::max(highest, matrix.sharing.between(i, j));
    }
  }
  const std::string title = fmt::format("{}, {}", matrix.program, matrix.detector);
  std::string text = fmt::format(
      "<figure><svg width=\"{0}\" height=\"{0}\" role=\"img\" aria-label=\"{1}\">"
      "<rect width=\"{0}\" height=\"{0}\" class=\"ground\"/>",
      threads * cell, escape_html(title));
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < threads; ++j) {
      if (i == j || highest <= 0) continue;
      const double amount = matrix.sharing.between(i, j);
      text += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.3f}\">"
          "<title>{} and {}: {:.6g}</title></rect>",
          j * cell, i * cell, cell, cell, amount / highest, i, j, amount);
    }
  }
  const std::string like =
      (matrix.like_oracle ? fmt::format(", {:.2f}", *matrix.like_oracle) : std::string()) +
      fmt::format(", {} pairs", matrix.pairs);
  return text +
         fmt::format("</svg><figcaption>{}{}</figcaption></figure>\n", escape_html(title), like);
}

std::string pictures_of(const std::vector<page_matrix>& matrices) {
  if (matrices.empty()) return "";
  std::string text =
      "<h3>Sharing matrices</h3>\n<p class=\"note\">Threads against threads, counted in the "
      "program's recorded accesses, or by a mechanism that needs a machine in its run; each in "
      "parts of its own highest pair. The numbers are the correlation with the oracle's and how "
      "many pairs share anything.</p>\n<div class=\"pictures\">\n";
  for (const page_matrix& matrix : matrices) text += picture_of(matrix);
  return text + "</div>\n";
}

std::string sweep_table_of(const page_sweep& sweep, const page_sweep_table& table) {
  const quantity_entry& entry = entry_of(table.what);
  std::string text =
      fmt::format("<h4>{}{}</h4>\n<div class=\"scroll\"><table><thead><tr><th></th>",
                  escape_html(entry.label), entry.relative ? ", change against the baseline" : "");
  for (const std::string& point : sweep.points) {
    text += fmt::format("<th>{}</th>", escape_html(point));
  }
  text += "</tr></thead><tbody>\n";
  for (const page_sweep_table::line& line : table.lines) {
    text += fmt::format("<tr><td>{} {}</td>", escape_html(line.program), escape_html(line.run));
    for (const std::optional<double>& value : line.values) {
      text += fmt::format("<td{}>{}</td>", shade_of({value, ""}, entry.relative),
                          value_text(value, table.what));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string sweep_of(const page_sweep& sweep) {
  std::string text = fmt::format("<h3>{}</h3>\n{}<div class=\"pictures\">\n",
                                 escape_html(sweep.title), notes_of(sweep.notes));
  for (const page_sweep_table& table : sweep.tables) text += chart_of(sweep, table);
  text += "</div>\n<details><summary>The numbers</summary>\n";
  for (const page_sweep_table& table : sweep.tables) text += sweep_table_of(sweep, table);
  return text + "</details>\n";
}

}  // namespace

std::string html_of(const page& made) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}\n</style></head><body>\n<h1>{0}</h1>\n{2}",
      escape_html(made.title), std::string(style) + std::string(chart_style()),
      notes_of(made.notes));
  for (const page_paper& paper : made.papers) {
    text += fmt::format("<h2 id=\"{}\">{}</h2>\n<p class=\"note\">Simulated on {}.</p>\n{}",
                        escape_html(paper.name), escape_html(paper.title),
                        escape_html(paper.machine), notes_of(paper.notes));
    for (const page_table& table : paper.tables) text += table_of(table);
    text += figures_of(paper.figures);
    text += pictures_of(paper.matrices);
    for (const page_sweep& sweep : paper.sweeps) text += sweep_of(sweep);
  }
  return text + "</body></html>\n";
}

}  // namespace numatch::reproduce
