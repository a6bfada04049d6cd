// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/result.hpp"

namespace numatch::report {

/// What one run has of a metric; nothing where it has no meaning, as an average over no event.
using metric_value = std::variant<std::monostate, std::uint64_t, double>;
std::optional<double> number_of(const metric_value& value);

/// How a value is written in a table.
enum class metric_form : std::uint8_t {
  amount,   ///< a count: 1234 is "1.23 k"
  decimal,  ///< three digits: 12 is "12.0"
  share,
  bytes,
};

/// When a table has a row for it.
enum class metric_row : std::uint8_t {
  always,
  if_any,  ///< when it is not 0 in one of the runs
  never,   ///< JSON only
};

/// One row of the result table, with a value per run.
struct metric {
  std::string group;  ///< JSON key of the group, and
  std::string key;    ///< of the metric in it
  std::string label;  ///< with its unit
  metric_form form = metric_form::amount;
  metric_row row = metric_row::always;
  std::vector<metric_value> values;
};

/// A group's heading in a table.
std::string_view heading_of(std::string_view group);

/// Everything that is said about the runs, in the order of the tables: groups are together.
std::vector<metric> metrics_of(std::span<const sim::run_result> runs);

/// 0 where the clock is not known.
double milliseconds_of(std::uint64_t cycles, double hertz);

/// Busy cycles of a mechanism's hardware and software as a share of the threads' running time.
double overhead_share(const sim::run_result& run);

}  // namespace numatch::report
