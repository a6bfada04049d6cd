// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/thread_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace numatch::engine {

namespace {

constexpr std::size_t tile = 32;  ///< three tiles of doubles stay in the first-level cache
using tile_sums = std::array<std::array<double, tile>, tile>;

/// sums[i][j] = both directions of the pair (row + i, column + j).
void add_transposed(const double* cells, std::size_t threads, std::size_t row, std::size_t row_end,
                    std::size_t column, std::size_t column_end, tile_sums& sums) {
  for (std::size_t j = column; j < column_end; ++j) {
    for (std::size_t i = row; i < row_end; ++i) sums[i - row][j - column] = cells[j * threads + i];
  }
  for (std::size_t i = row; i < row_end; ++i) {
    for (std::size_t j = column; j < column_end; ++j) {
      sums[i - row][j - column] += cells[i * threads + j];
    }
  }
}

/// So many threads and more: their matrix does not fit into caches, so it is read once from front
/// to back for as long as few of its cells are found to hold anything.
constexpr std::size_t read_in_rows = 1025;
constexpr std::size_t few_cells = 16;  ///< one of so many

/// Calls say(column) for every cell above 0 of a row.
template <class Say>
void for_each_cell(const double* row, std::size_t threads, Say say) {
  constexpr std::size_t step = 16;
  std::size_t column = 0;
  for (; column + step <= threads; column += step) {
    bool any = false;
    for (std::size_t i = 0; i < step; ++i) any |= row[column + i] > 0;
    if (!any) continue;
    for (std::size_t i = 0; i < step; ++i) {
      if (row[column + i] > 0) say(column + i);
    }
  }
  for (; column < threads; ++column) {
    if (row[column] > 0) say(column);
  }
}

}  // namespace

void thread_graph::reserve(std::size_t vertices, std::size_t edges) {
  pairs_.reserve(edges);
  edges_.reserve(2 * edges);
  shared_.reserve(vertices);
  first_.reserve(vertices + 2);
  degree_.reserve(vertices);
  edge_place_.reserve(vertices);
  rows_.reserve(vertices * ((vertices + 15) / 16 * 16));
}

/// False, and nothing collected, where too many cells hold something.
bool thread_graph::collect_from_rows(const sharing_matrix& sharing) {
  const std::size_t threads = sharing.size();
  const double* const cells = sharing.cells().data();
  const std::size_t most = threads * threads / few_cells;
  std::size_t found = 0;
  bool in_order = true;
  for (std::size_t i = 0; i < threads; ++i) {
    for_each_cell(cells + i * threads, threads, [&](std::size_t j) {
      if (i == j) return;
      ++found;
      const double back = cells[j * threads + i];
      // A pair with an amount in both directions is taken from the lower thread's row.
      if (j < i && back > 0) return;
      in_order = in_order && i < j;
      pairs_.push_back({static_cast<std::uint32_t>(std::min(i, j)),
                        static_cast<std::uint32_t>(std::max(i, j)), cells[i * threads + j] + back});
    });
    if (found <= most) continue;
    pairs_.clear();
    return false;
  }
  if (!in_order) {
    std::sort(pairs_.begin(), pairs_.end(),
              [](const pair& x, const pair& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; });
  }
  return true;
}

void thread_graph::collect_from_tiles(const sharing_matrix& sharing) {
  const std::size_t threads = sharing.size();
  const double* const cells = sharing.cells().data();
  tile_sums sums;
  // In tiles, because one of the two directions of a pair lies across the matrix.
  for (std::size_t row = 0; row < threads; row += tile) {
    const std::size_t row_end = std::min(row + tile, threads);
    for (std::size_t column = row; column < threads; column += tile) {
      const std::size_t column_end = std::min(column + tile, threads);
      add_transposed(cells, threads, row, row_end, column, column_end, sums);
      for (std::size_t i = row; i < row_end; ++i) {
        for (std::size_t j = std::max(column, i + 1); j < column_end; ++j) {
          const double weight = sums[i - row][j - column];
          if (weight <= 0) continue;
          pairs_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), weight});
        }
      }
    }
  }
}

void thread_graph::load(const sharing_matrix& sharing, std::size_t vertices) {
  size_ = vertices;
  pairs_.clear();
  if (sharing.size() < read_in_rows || !collect_from_rows(sharing)) collect_from_tiles(sharing);
  shared_.assign(vertices, 0);
  first_.assign(vertices + 2, 0);
  for (const pair& p : pairs_) {
    shared_[p.a] += p.weight;
    shared_[p.b] += p.weight;
    ++first_[p.a + 2];
    ++first_[p.b + 2];
  }
  const double most = shared_.empty() ? 0 : *std::max_element(shared_.begin(), shared_.end());
  int exponent = 0;
  std::frexp(most, &exponent);  // most < 2^exponent
  scale_ = std::ldexp(1.0, 20 - exponent);

  for (std::size_t v = 2; v < first_.size(); ++v) first_[v] += first_[v - 1];
  edges_.resize(2 * pairs_.size());
  degree_.assign(vertices, 0);
  for (const pair& p : pairs_) {
    const std::int32_t weight = static_cast<std::int32_t>(std::floor(p.weight * scale_ + 0.5));
    edges_[first_[p.a + 1]++] = {p.b, weight};
    edges_[first_[p.b + 1]++] = {p.a, weight};
    degree_[p.a] += weight;
    degree_[p.b] += weight;
  }
  has_rows_ = false;
}

void thread_graph::make_rows() {
  has_rows_ = true;
  stride_ = (size_ + 15) / 16 * 16;
  rows_.assign(size_ * stride_, 0);
  for (std::size_t v = 0; v < size_; ++v) {
    for (const edge& e : edges_of(v)) rows_[v * stride_ + e.to] = e.weight;
  }
}

void thread_graph::merge(const thread_graph& fine, std::span<const std::uint32_t> members,
                         std::span<const std::uint32_t> whole_of) {
  size_ = members.empty() ? 0 : whole_of[members.back()] + 1;
  scale_ = fine.scale_;
  edges_.clear();
  degree_.assign(size_, 0);
  first_.assign(1, 0);
  edge_place_.assign(size_, 0);  // of the edge to each vertex, plus one
  for (const std::uint32_t v : members) {
    const std::uint32_t whole = whole_of[v];
    while (first_.size() <= whole) first_.push_back(edges_.size());
    const std::size_t begin = first_[whole];
    for (const edge& e : fine.edges_of(v)) {
      const std::uint32_t to = whole_of[e.to];
      if (to == whole) continue;
      if (edge_place_[to] <= begin) {
        edges_.push_back({to, 0});
        edge_place_[to] = edges_.size();
      }
      edges_[edge_place_[to] - 1].weight += e.weight;
      degree_[whole] += e.weight;
    }
  }
  first_.push_back(edges_.size());
  has_rows_ = false;
}

}  // namespace numatch::engine
