// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace numatch {

/// The assignment problem: each of k rows gets a column of its own, so that the sum of their values
/// is as great as possible. The Hungarian method by shortest augmenting paths (Kuhn 1955; Jonker
/// and Volgenant 1987), O(k^3), near O(k^2) where rows want different columns. Keeps its memory for
/// the next problem.
class assignment_solver {
 public:
  /// `value` is row-major k x k. Ties go to the lower columns. The span holds until the next call.
  std::span<const std::uint32_t> solve(std::span<const std::int64_t> value, std::size_t k);

 private:
  void match_greedily(std::span<const std::int64_t> value, std::size_t k);
  void augment(std::span<const std::int64_t> value, std::size_t k, std::uint32_t row);

  std::vector<std::int64_t> row_price_;
  std::vector<std::int64_t> column_price_;
  std::vector<std::uint32_t> column_of_;
  std::vector<std::uint32_t> row_of_;
  std::vector<std::int64_t> slack_;
  std::vector<std::uint32_t> reached_from_;
  std::vector<std::uint8_t> done_;
};

}  // namespace numatch
