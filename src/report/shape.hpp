// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch::report {

/// The words for sharing patterns, each decided by measures that docs/report.md defines.
enum class shape_kind {
  none,
  nearest_neighbour,
  clusters,
  pipeline,
  master_worker,
  all_to_all,
  mixed
};
std::string_view to_string(shape_kind kind);

/// A number that spoke for or against a word.
struct shape_measure {
  std::string_view key;  ///< "band_mass"; stable, used in JSON
  double value = 0;
  double limit = 0;  ///< the word needs value ≥ limit, or < limit where `below` is set
  bool below = false;
  std::string_view word;  ///< the word that it decides about
  bool met() const { return below ? value < limit : value >= limit; }
};

struct shape_input {
  const sharing_matrix& sharing;
  const sharing_matrix& flow;  ///< read_flow(); a matrix of 0 when reads and writes are unknown
  double volume = 0;           ///< exclusivity::volume(), 0..1
};

/// The pattern in words. Does not depend on how the threads are numbered, except that a grid is
/// only recognised in the program's own numbering.
struct sharing_shape {
  shape_kind kind = shape_kind::none;
  std::string words;     ///< "nearest neighbour (ring)"
  std::string sentence;  ///< what that means here, with its main measure
  std::vector<shape_measure> measures;
  /// Threads whose sharing is at least 5 % of the average thread's; the others do not vote.
  std::vector<thread_id> taking_part;
  /// All threads in the order in which the pattern shows best; those not taking part come last.
  std::vector<thread_id> order;
  /// Groups of a cluster pattern or stages of a pipeline (first stage first), else empty.
  std::vector<std::vector<thread_id>> groups;
};
sharing_shape find_shape(const shape_input& input);

}  // namespace numatch::report
