// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/format.hpp"
#include "report/simulation_preface.hpp"

namespace numatch::report {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t label_width = 29;
constexpr std::size_t base_width = 10;
constexpr std::size_t run_width = 20;
constexpr std::size_t runs_per_table = 3;
static_assert(label_width + base_width + runs_per_table * run_width <= table_width);

/// Execution time and traffic against the point's own baseline, as value / baseline − 1.
struct moved {
  std::optional<double> time;
  std::optional<double> traffic;
};

std::optional<double> relative(std::uint64_t value, std::uint64_t base) {
  if (base == 0) return std::nullopt;
  return static_cast<double>(value) / static_cast<double>(base) - 1;
}

moved moved_by(std::span<const sim::run_result> runs, std::size_t run) {
  const sim::run_result& base = runs.front();
  return {relative(runs[run].cycles, base.cycles),
          relative(runs[run].total_traffic(), base.total_traffic())};
}

/// From the least to the greatest of some numbers.
class extent {
 public:
  void add(std::optional<double> value) {
    if (!value) return;
    least_ = std::min(least_, *value);
    greatest_ = std::max(greatest_, *value);
  }
  std::optional<double> size() const {
    if (least_ > greatest_) return std::nullopt;
    return greatest_ - least_;
  }

 private:
  double least_ = std::numeric_limits<double>::infinity();
  double greatest_ = -std::numeric_limits<double>::infinity();
};

struct ranges {
  extent time;
  extent traffic;
};

/// How far a run's changes lie apart over the points of a key and what is stated.
ranges range_of(const simulation& as_stated, std::span<const sweep_point> points, std::size_t run) {
  ranges found;
  const auto add = [&](const moved& m) {
    found.time.add(m.time);
    found.traffic.add(m.traffic);
  };
  add(moved_by(as_stated.runs, run));
  for (const sweep_point& point : points) add(moved_by(point.runs, run));
  return found;
}

/// The points of one key after the other.
template <class Each>
void for_each_key(std::span<const sweep_point> points, const Each& each) {
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() && points[end].key == points[begin].key) ++end;
    each(points.subspan(begin, end - begin));
    begin = end;
  }
}

std::string trimmed(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string change_cell(std::optional<double> change_of) {
  return change_of ? change(1 + *change_of, 1) : "–";
}

std::string points_cell(std::optional<double> distance) {
  return distance ? fmt::format("{:.1f} pt", 100 * *distance) : "–";
}

std::string cells(const std::string& time, const std::string& traffic) {
  return pad_left(time, run_width / 2) + pad_left(traffic, run_width / 2);
}

std::string point_line(const std::string& label, std::span<const sim::run_result> runs,
                       std::size_t first, std::size_t last) {
  std::string line = pad(fit(label, label_width - 1), label_width);
  line += pad_left(decimal(1e3 * runs.front().seconds()), base_width);
  for (std::size_t run = first; run < last; ++run) {
    const moved m = moved_by(runs, run);
    line += cells(change_cell(m.time), change_cell(m.traffic));
  }
  return trimmed(line);
}

std::string table(const simulation& as_stated, std::span<const sweep_point> points,
                  std::size_t first, std::size_t last) {
  std::string names = pad("", label_width) + pad_left("baseline", base_width);
  std::string columns_of = pad("", label_width) + pad_left("time, ms", base_width);
  for (std::size_t run = first; run < last; ++run) {
    names += pad_left(fit(as_stated.runs[run].mechanism, run_width - 2), run_width);
    columns_of += cells("time", "traffic");
  }
  std::string text = "\n" + trimmed(names) + trimmed(columns_of);
  text += point_line("as stated", as_stated.runs, first, last);
  for_each_key(points, [&](std::span<const sweep_point> of_key) {
    text += fit(of_key.front().key, table_width) + "\n";
    for (const sweep_point& point : of_key) {
      text += point_line("  " + point.value, point.runs, first, last);
    }
    if (first == last) return;
    std::string line = pad("  moves it by up to", label_width + base_width);
    for (std::size_t run = first; run < last; ++run) {
      const ranges found = range_of(as_stated, of_key, run);
      line += cells(points_cell(found.time.size()), points_cell(found.traffic.size()));
    }
    text += trimmed(line);
  });
  return text;
}

json optional_json(std::optional<double> value) {
  return value ? json(*value) : json(nullptr);
}

json runs_json(std::span<const sim::run_result> runs) {
  json list = json::array();
  for (std::size_t run = 0; run < runs.size(); ++run) {
    json made{{"name", runs[run].mechanism},
              {"cycles", runs[run].cycles},
              {"traffic_bytes", runs[run].total_traffic()},
              {"remote_share", runs[run].remote_share()}};
    if (run > 0) {
      const moved m = moved_by(runs, run);
      made["change"] = {{"cycles", optional_json(m.time)},
                        {"traffic_bytes", optional_json(m.traffic)}};
    }
    list.push_back(std::move(made));
  }
  return list;
}

json ranges_json(const simulation& as_stated, std::span<const sweep_point> of_key) {
  json list = json::array();
  for (std::size_t run = 1; run < as_stated.runs.size(); ++run) {
    const ranges found = range_of(as_stated, of_key, run);
    list.push_back({{"name", as_stated.runs[run].mechanism},
                    {"cycles", optional_json(found.time.size())},
                    {"traffic_bytes", optional_json(found.traffic.size())}});
  }
  return list;
}

}  // namespace

std::string text_sweep(const simulation& as_stated, std::span<const sweep_point> points) {
  std::string text = preface(as_stated);
  text += paragraph(
      "Each line is simulated anew with one change. The percentages are against the baseline of "
      "the "
      "same line: execution time, and traffic between chips in bytes x hops. Below them stands how "
      "many percentage points lie between the lines of an option and what is stated.");
  std::size_t first = 1;
  do {
    const std::size_t last = std::min(first + runs_per_table, as_stated.runs.size());
    text += table(as_stated, points, first, last);
    first = last;
  } while (first < as_stated.runs.size());
  return text;
}

std::string json_sweep(const simulation& as_stated, std::span<const sweep_point> points) {
  json made = json_frame(as_stated, "numatch-sweep");
  made["as_stated"] = runs_json(as_stated.runs);
  made["options"] = json::array();
  for_each_key(points, [&](std::span<const sweep_point> of_key) {
    json values = json::array();
    for (const sweep_point& point : of_key) {
      values.push_back({{"value", point.value}, {"runs", runs_json(point.runs)}});
    }
    made["options"].push_back({{"key", of_key.front().key},
                               {"values", values},
                               {"range", ranges_json(as_stated, of_key)}});
  });
  return json_text(made);
}

}  // namespace numatch::report
