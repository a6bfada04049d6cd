// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mapping/comparison.hpp"
#include "mapping/mapping_file.hpp"

namespace numatch::cli {

/// What `numatch map` shows.
struct shown_mapping {
  const saved_mapping& mapping;
  const mapping_request& request;
  std::string unit;                        ///< of the matrix
  std::string saved_as;                    ///< file name, or empty
  std::vector<compared_algorithm> others;  ///< rows beside that of the mapping
  bool in_full = false;  ///< --compare: `others` are all rows, with time, capacity and moves
};

/// The machine with its threads, a table of costs, pages, and lines to copy.
std::string text_of(const shown_mapping& shown);

}  // namespace numatch::cli
