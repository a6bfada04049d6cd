// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pattern/sharing_matrix.hpp"

namespace numatch {

/// The undirected graph of a sharing matrix: an edge for every pair that shares something, with
/// weight between(i, j). Both directions are stored. Immutable.
class sharing_graph {
 public:
  struct edge {
    std::uint32_t to = 0;
    double weight = 0;
  };

  /// At most about `max_edges` edges are kept, the heaviest of every thread: mapping time grows
  /// with edges, and in a matrix of thousands of threads that all share with all the light edges
  /// decide nothing.
  explicit sharing_graph(const sharing_matrix& sharing, std::size_t max_edges = 1'000'000);

  std::size_t size() const { return first_.size() - 1; }
  std::span<const edge> edges_of(std::size_t thread) const {
    return std::span(edges_).subspan(first_[thread], first_[thread + 1] - first_[thread]);
  }
  /// Directed edges: twice the number of pairs.
  std::size_t arcs() const { return edges_.size(); }

 private:
  std::vector<std::size_t> first_;
  std::vector<edge> edges_;
};

}  // namespace numatch
