// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/simulation.hpp"
#include "report/simulation_metrics.hpp"
#include "report/simulation_preface.hpp"

namespace numatch::report {

namespace {

constexpr std::size_t most_columns = 4;
constexpr std::size_t label_width = 29;
constexpr std::size_t value_width = 8;
constexpr std::size_t change_width = 8;
constexpr std::size_t first_width = 14;                                ///< the baseline's column
constexpr std::size_t run_width = 2 + value_width + 1 + change_width;  ///< another run's column
constexpr std::size_t name_width = 17;                                 ///< of a run that has a line
static_assert(label_width + first_width + (most_columns - 1) * run_width <= table_width);

std::string without_trailing_blanks(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

std::string shown(const metric_value& value, metric_form form) {
  const std::optional<double> number = number_of(value);
  if (!number) return "–";
  switch (form) {
    case metric_form::share:
      return percent(*number);
    case metric_form::bytes:
      return bytes(static_cast<std::uint64_t>(*number));
    case metric_form::decimal:
      return decimal(*number);
    case metric_form::amount:
      break;
  }
  return amount(*number);
}

std::string changed(const metric_value& value, const metric_value& base) {
  const std::optional<double> number = number_of(value);
  const std::optional<double> against = number_of(base);
  return number && against ? change(*number, *against) : "";
}

bool in_table(const metric& m) {
  switch (m.row) {
    case metric_row::always:
      return true;
    case metric_row::never:
      return false;
    case metric_row::if_any:
      break;
  }
  return std::ranges::any_of(m.values,
                             [](const metric_value& v) { return number_of(v).value_or(0) != 0; });
}

std::string heading_line(const simulation& done) {
  // The first name may reach to the left, where rows have their labels.
  std::string line;
  for (std::size_t i = 0; i < done.runs.size(); ++i) {
    const std::size_t cell = i == 0 ? label_width + first_width : run_width;
    line += pad_left(fit(done.runs[i].mechanism, cell - 1), cell);
  }
  return without_trailing_blanks(line);
}

std::string row_line(const metric& m) {
  std::string line = pad("  " + m.label, label_width);
  for (std::size_t i = 0; i < m.values.size(); ++i) {
    const std::string value = shown(m.values[i], m.form);
    if (i == 0) {
      line += pad_left(value, first_width);
    } else {
      line += "  " + pad_left(value, value_width) + " " +
              pad_left(changed(m.values[i], m.values.front()), change_width);
    }
  }
  return without_trailing_blanks(line);
}

double joule(const sim::run_result& run) {
  return run.dynamic_energy.total() + run.static_energy.total();
}

std::string with_unit(double joules) {
  return joules < 0.9995 ? decimal(1e3 * joules) + " mJ" : decimal(joules) + " J";
}

std::string run_line(const sim::run_result& run, const sim::run_result& base, bool is_base) {
  const auto beside = [&](double value, double against) {
    return pad_left(is_base ? "" : change(value, against), change_width + 1);
  };
  const double energy = joule(run);
  const double time = static_cast<double>(run.cycles);
  const double traffic = static_cast<double>(run.total_traffic());
  std::string line = pad(fit(run.mechanism, name_width - 1), name_width);
  line += pad_left(decimal(1e3 * run.seconds()), 8);
  line += beside(time, static_cast<double>(base.cycles));
  line += pad_left(decimal(run.cpi()), 6);
  line += pad_left(run.memory_accesses() == 0 ? "–" : percent(run.remote_share()), 9);
  line += pad_left(bytes(run.total_traffic()), 10);
  line += beside(traffic, static_cast<double>(base.total_traffic()));
  line += pad_left(amount(static_cast<double>(run.pages_moved)), 7);
  line += pad_left(amount(static_cast<double>(run.threads_moved)), 8);
  line += pad_left(percent(overhead_share(run)), 9);
  line += pad_left(is_base ? with_unit(energy) : change(energy, joule(base)), 8);
  return without_trailing_blanks(line);
}

}  // namespace

std::string change(double value, double base) {
  if (base == 0) return "";
  if (value == base) return "=";
  const double times = value / base;
  if (times >= 9.9995) return "x " + amount(times);
  const std::string percents = fmt::format("{:+.1f} %", 100 * (times - 1));
  return percents == "+0.0 %" || percents == "-0.0 %" ? "~ 0 %" : percents;
}

std::string text_simulation(const simulation& done) {
  if (done.runs.size() > most_columns) return text_simulation_in_short(done);
  std::string text = preface(done) + "\n" + heading_line(done);
  std::string group;
  for (const metric& m : metrics_of(done.runs)) {
    if (!in_table(m)) continue;
    if (m.group != group) {
      group = m.group;
      text += fmt::format("{}\n", heading_of(group));
    }
    text += row_line(m);
  }
  return text;
}

std::string text_simulation_in_short(const simulation& done) {
  std::string text = preface(done);
  text += paragraph(
      "Traffic is between chips, in bytes x hops; overhead is the busy time of the mechanism's "
      "hardware and software as a share of the threads' time.");
  text += "\n";
  text += pad("", name_width) + pad_left("time, ms", 8) + pad_left("CPI", 15) +
          pad_left("remote", 9) + pad_left("traffic", 10) + pad_left("pages", 16) +
          pad_left("threads", 8) + pad_left("overhead", 9) + pad_left("energy", 8) + "\n";
  text += pad("", name_width + 42) + pad_left("moved", 16) + pad_left("moved", 8) + "\n";
  for (std::size_t i = 0; i < done.runs.size(); ++i) {
    text += run_line(done.runs[i], done.runs.front(), i == 0);
  }
  return text;
}

}  // namespace numatch::report
