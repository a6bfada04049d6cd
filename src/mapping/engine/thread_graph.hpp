// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch::engine {

/// A sharing matrix as the search wants it: symmetric, in whole numbers, scaled by a power of two
/// so that no thread shares more than `most_shared` in all. Whole numbers add up exactly in any
/// order. Vertices beyond the matrix share nothing: they fill slots that stay empty.
///
/// Kept as lists of neighbours and, on demand, as a table of all pairs.
class thread_graph {
 public:
  static constexpr std::int32_t most_shared = 1 << 20;

  struct edge {
    std::uint32_t to = 0;
    std::int32_t weight = 0;
  };

  /// Room for `vertices`; allocates all that load() and merge() need for at most `edges` pairs.
  void reserve(std::size_t vertices, std::size_t edges);
  /// Fills it from a matrix with at most `vertices` threads. Allocates only beyond reserve().
  void load(const sharing_matrix& sharing, std::size_t vertices);

  /// Fills it from a graph whose vertices become parts of larger ones: whole_of[vertex], counted
  /// from 0, and the vertices in ascending order of it.
  void merge(const thread_graph& fine, std::span<const std::uint32_t> members,
             std::span<const std::uint32_t> whole_of);

  std::size_t size() const { return size_; }
  /// Whole numbers per unit of sharing.
  double scale() const { return scale_; }
  /// A table of all pairs beside the lists; until the next load() or merge().
  void make_rows();
  bool has_rows() const { return has_rows_; }
  /// Elements from one row to the next: size() rounded up, the rest of a row is 0.
  std::size_t stride() const { return stride_; }
  const std::int32_t* row(std::size_t v) const { return rows_.data() + v * stride_; }
  std::span<const edge> edges_of(std::size_t v) const {
    return std::span(edges_).subspan(first_[v], first_[v + 1] - first_[v]);
  }
  std::int32_t degree(std::size_t v) const { return degree_[v]; }
  /// Few enough edges to go through them rather than through rows.
  bool is_sparse() const { return edges_.size() * 16 < size_ * size_; }

 private:
  struct pair {
    std::uint32_t a, b;
    double weight;
  };

  bool collect_from_rows(const sharing_matrix& sharing);
  void collect_from_tiles(const sharing_matrix& sharing);

  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  double scale_ = 1;
  bool has_rows_ = false;
  std::vector<pair> pairs_;
  std::vector<double> shared_;
  std::vector<std::size_t> first_;
  std::vector<edge> edges_;
  std::vector<std::size_t> edge_place_;  ///< work space of merge()
  std::vector<std::int32_t> degree_;
  std::vector<std::int32_t> rows_;
};

}  // namespace numatch::engine
