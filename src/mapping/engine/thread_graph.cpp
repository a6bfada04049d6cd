// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/thread_graph.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::engine {

namespace {

constexpr std::size_t always_rows = 1024;  ///< up to this size rows are small whatever they hold
constexpr std::size_t tile = 32;           ///< two tiles of doubles stay in the first-level cache

bool wants_rows(std::size_t vertices) {
  return vertices <= always_rows;
}

}  // namespace

void thread_graph::reserve(std::size_t vertices, std::size_t edges) {
  pairs_.reserve(edges);
  edges_.reserve(2 * edges);
  shared_.reserve(vertices);
  first_.reserve(vertices + 2);
  degree_.reserve(vertices);
  if (wants_rows(vertices)) rows_.reserve(vertices * ((vertices + 15) / 16 * 16));
}

void thread_graph::load(const sharing_matrix& sharing, std::size_t vertices) {
  size_ = vertices;
  const std::size_t threads = sharing.size();
  const double* const cells = sharing.cells().data();
  pairs_.clear();
  shared_.assign(vertices, 0);
  first_.assign(vertices + 2, 0);
  // In tiles, because one of the two directions of a pair lies across the matrix.
  for (std::size_t row = 0; row < threads; row += tile) {
    const std::size_t row_end = std::min(row + tile, threads);
    for (std::size_t column = row; column < threads; column += tile) {
      const std::size_t column_end = std::min(column + tile, threads);
      for (std::size_t i = row; i < row_end; ++i) {
        for (std::size_t j = std::max(column, i + 1); j < column_end; ++j) {
          const double weight = cells[i * threads + j] + cells[j * threads + i];
          if (weight <= 0) continue;
          pairs_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), weight});
          shared_[i] += weight;
          shared_[j] += weight;
          ++first_[i + 2];
          ++first_[j + 2];
        }
      }
    }
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
  fill_rows();
}

void thread_graph::fill_rows() {
  has_rows_ = wants_rows(size_);
  if (!has_rows_) return;
  stride_ = (size_ + 15) / 16 * 16;
  rows_.assign(size_ * stride_, 0);
  for (std::size_t v = 0; v < size_; ++v) {
    for (const edge& e : edges_of(v)) rows_[v * stride_ + e.to] = e.weight;
  }
}

}  // namespace numatch::engine
