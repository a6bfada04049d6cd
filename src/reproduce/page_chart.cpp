// SPDX-License-Identifier: Apache-2.0
#include "reproduce/page_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/page_template.hpp"

namespace numatch::reproduce {

namespace {

using report::escape_html;

constexpr double width = 420;
constexpr double height = 240;
constexpr double left = 58;
constexpr double right = 34;  // half of the last point's text
constexpr double top = 10;
constexpr double bottom = 38;
constexpr std::size_t colours = 8;
constexpr std::size_t dashes = 4;

struct range {
  double least = 0;
  double greatest = 0;
};

/// Of all values; with 0, which changes and shares are read against.
std::optional<range> range_of(const page_sweep_table& table) {
  std::optional<range> found;
  for (const page_sweep_table::line& line : table.lines) {
    for (const std::optional<double>& value : line.values) {
      if (!value) continue;
      if (!found) found = range{std::min(0.0, *value), std::max(0.0, *value)};
      found->least = std::min(found->least, *value);
      found->greatest = std::max(found->greatest, *value);
    }
  }
  return found;
}

/// 1, 2 or 5 times a power of ten, so that a range has about five of it.
double step_for(const range& of) {
  const double wide = std::max(of.greatest - of.least, 1e-9) / 5;
  const double power = std::pow(10, std::floor(std::log10(wide)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= wide) return times * power;
  }
  return 10 * power;
}

/// From values to places in the picture.
class scale {
 public:
  scale(const range& of, std::size_t points) : points_(points), step_(step_for(of)) {
    least_ = std::floor(of.least / step_ + 1e-9) * step_;
    greatest_ = std::max(std::ceil(of.greatest / step_ - 1e-9) * step_, least_ + step_);
  }
  double x(std::size_t point) const {
    if (points_ < 2) return (left + width - right) / 2;
    return left +
           (width - left - right) * static_cast<double>(point) / static_cast<double>(points_ - 1);
  }
  double y(double value) const {
    return top + (height - top - bottom) * (greatest_ - value) / (greatest_ - least_);
  }
  std::vector<double> ticks() const {
    std::vector<double> at;
    const auto count = static_cast<int>(std::lround((greatest_ - least_) / step_));
    for (int i = 0; i <= count; ++i) at.push_back(least_ + i * step_);
    return at;
  }

 private:
  std::size_t points_;
  double step_;
  double least_ = 0;
  double greatest_ = 0;
};

/// Each text once, in the order of the lines.
template <class Of>
std::vector<std::string> distinct(const page_sweep_table& table, const Of& of) {
  std::vector<std::string> found;
  for (const page_sweep_table::line& line : table.lines) {
    if (std::ranges::find(found, of(line)) == found.end()) found.push_back(of(line));
  }
  return found;
}

std::size_t place_of(const std::vector<std::string>& list, const std::string& text) {
  return static_cast<std::size_t>(std::ranges::find(list, text) - list.begin());
}

std::string tick_text(double value, quantity what) {
  const quantity_entry& entry = entry_of(what);
  const double rounded = std::fabs(value) < 1e-12 ? 0 : value;
  return fmt::format("{:.4g}{}", rounded, entry.in_tables ? " %" : "");
}

std::string axes(const page_sweep& sweep, const page_sweep_table& table, const scale& to) {
  std::string text;
  for (const double value : to.ticks()) {
    text += fmt::format(
        "<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        std::fabs(value) < 1e-12 ? "zero" : "grid", left, width - right, to.y(value), to.y(value),
        left - 6, to.y(value) + 4, tick_text(value, table.what));
  }
  for (std::size_t p = 0; p < sweep.points.size(); ++p) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                        to.x(p), height - bottom + 16, escape_html(sweep.points[p]));
  }
  return text + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                            (left + width - right) / 2, height - 4, escape_html(sweep.key));
}

std::string title_of(const page_sweep_table::line& line) {
  return line.run.empty() ? line.program : fmt::format("{}, {}", line.program, line.run);
}

/// A line is broken where a point has no value.
std::string path_of(const page_sweep& sweep, const page_sweep_table& table,
                    const page_sweep_table::line& line, const scale& to,
                    const std::string& classes) {
  std::string path;
  std::string dots;
  bool drawing = false;
  for (std::size_t p = 0; p < line.values.size(); ++p) {
    if (!line.values[p]) {
      drawing = false;
      continue;
    }
    const double x = to.x(p);
    const double y = to.y(*line.values[p]);
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x, y);
    dots += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}, {}: "
        "{}</title></circle>",
        classes, x, y, escape_html(title_of(line)), escape_html(sweep.points[p]),
        value_text(line.values[p], table.what));
    drawing = true;
  }
  return fmt::format("<path class=\"{}\" d=\"{}\"/>{}\n", classes, path, dots);
}

}  // namespace

std::string_view chart_style() {
  return R"(
.chart text { fill: currentColor; font-size: 11px } .chart line { stroke: #d8dde3 }
.chart line.zero { stroke: #8a939d } .chart path { fill: none; stroke-width: 1.8 }
.legend { font-size: .85rem; max-width: 26rem } .legend svg { vertical-align: middle }
.c0 { stroke: #1f77b4; fill: #1f77b4 } .c1 { stroke: #d95f02; fill: #d95f02 }
.c2 { stroke: #2ca02c; fill: #2ca02c } .c3 { stroke: #c2334d; fill: #c2334d }
.c4 { stroke: #7e57c2; fill: #7e57c2 } .c5 { stroke: #8c6d31; fill: #8c6d31 }
.c6 { stroke: #d6619e; fill: #d6619e } .c7 { stroke: #7f7f7f; fill: #7f7f7f }
path.d1 { stroke-dasharray: 7 3 } path.d2 { stroke-dasharray: 2 3 }
path.d3 { stroke-dasharray: 8 3 2 3 }
@media (prefers-color-scheme: dark) { .chart line { stroke: #333b44 } })";
}

std::string chart_of(const page_sweep& sweep, const page_sweep_table& table) {
  const std::optional<range> values = range_of(table);
  if (!values) return "";
  const scale to(*values, sweep.points.size());
  const std::vector<std::string> programs =
      distinct(table, [](const page_sweep_table::line& line) { return line.program; });
  const std::vector<std::string> runs =
      distinct(table, [](const page_sweep_table::line& line) { return line.run; });
  std::string lines;
  std::string legend;
  for (const page_sweep_table::line& line : table.lines) {
    const std::string classes = fmt::format("c{} d{}", place_of(programs, line.program) % colours,
                                            place_of(runs, line.run) % dashes);
    lines += path_of(sweep, table, line, to, classes);
    legend += fmt::format(
        "<span><svg class=\"chart\" width=\"26\" height=\"8\"><path class=\"{}\" d=\"M0 4L26 "
        "4\"/></svg> {}</span>\n",
        classes, escape_html(title_of(line)));
  }
  const quantity_entry& entry = entry_of(table.what);
  const std::string label =
      fmt::format("{}{}", entry.label, entry.relative ? ", change against the baseline" : "");
  return fmt::format(
      "<figure><svg class=\"chart\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" aria-label=\"{2}: {3}\">\n{4}{5}</svg><figcaption>{3}</figcaption>"
      "<div class=\"legend\">{6}</div></figure>\n",
      width, height, escape_html(sweep.title), escape_html(label), axes(sweep, table, to), lines,
      legend);
}

}  // namespace numatch::reproduce
