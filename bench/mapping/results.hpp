// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/mapping/instances.hpp"

namespace numatch::bench {

/// One contender on one instance.
struct result_cell {
  double cost = 0;
  bool keeps_capacity = true;
  double cpu_seconds = 0;
  double first_cpu_seconds = 0;
};

/// All contenders on one instance; empty cells did not take part.
struct result_row {
  instance on;
  double best_cost = 0;      ///< the reference: stored, searched or of the run, the lowest
  bool best_is_new = false;  ///< lower than what is stored
  std::vector<std::optional<result_cell>> cells;  ///< one per contender
  /// Cost above the best known as a share, 0.01 = 1 %.
  double gap(std::size_t contender) const;
};

/// All that was measured.
struct result_table {
  std::vector<std::string> contenders;
  std::vector<result_row> rows;
};

/// Per size: gap, feasibility and CPU time of each contender, then where `numatch` is worse than
/// the best Scotch strategy and `numatch/best` worse than any other. Markdown that also reads well
/// in a terminal.
std::string summary_of(const result_table& table);
/// A line per contender and instance, with a head line.
std::string tsv_of(const result_table& table);
std::string json_of(const result_table& table);

}  // namespace numatch::bench
