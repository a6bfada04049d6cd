// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/slot_tree.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// Swaps without tables, for graphs with few edges per vertex: a swap is weighed by going through
/// the neighbours of both vertices, and only slots next to a vertex's neighbours are tried.
class sparse_descent {
 public:
  sparse_descent(const slot_tree& tree, const thread_graph& graph);

  /// Improves vertex_at[slot] in at most `sweeps` sweeps over all vertices.
  void improve(std::span<std::uint32_t> vertex_at, unsigned sweeps);

  std::int64_t cost(std::span<const std::uint32_t> vertex_at);

 private:
  std::int64_t change(std::uint32_t a, std::uint32_t b) const;
  bool improve_vertex(std::span<std::uint32_t> vertex_at, std::uint32_t v);

  const slot_tree& tree_;
  const thread_graph& graph_;
  std::vector<std::uint32_t> slot_of_;
  std::vector<std::uint8_t> quiet_;
};

}  // namespace numatch::engine
