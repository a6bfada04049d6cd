// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "pattern/profile.hpp"
#include "report/page_sharing.hpp"

namespace numatch::report {

/// Page usage as a picture of bounded size: rows are used pages from low to high addresses (the
/// same number of used pages in each row; unused address space takes no room), columns are time
/// windows.
struct page_strip {
  struct row {
    page_number first, last;  ///< lowest and highest used page, both included
    std::uint64_t pages = 0;  ///< used ones
  };
  struct column {
    std::uint64_t start = 0, end = 0;  ///< on the profile's time axis
  };
  /// A row in a column where it was used at all.
  struct cell {
    std::uint32_t row = 0, column = 0;
    thread_id thread;  ///< with the most accesses; lowest id on a tie
    double share = 0;  ///< of the cell's accesses by that thread, 0..1
    double accesses = 0;
    std::uint32_t threads = 0;  ///< that used it
  };
  std::vector<row> rows;
  std::vector<column> columns;
  std::vector<cell> cells;  ///< by row, then column
};

/// At most `most_rows` × `most_columns` cells (both ≥ 1). With `only_shared` the pages that one
/// thread alone used take no room.
page_strip draw_strip(const profile& learned, const std::vector<page_run>& runs, bool only_shared,
                      std::size_t most_rows = 200, std::size_t most_columns = 120);

}  // namespace numatch::report
