// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/slot_tree.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// Swaps without tables, for graphs with few edges per vertex: a swap is weighed by going through
/// the neighbours of both vertices, and only slots around a vertex's neighbours are tried.
class sparse_descent {
 public:
  /// Allocates for this tree; nothing later does.
  explicit sparse_descent(const slot_tree& tree);

  /// Improves vertex_at[slot] in at most `sweeps` sweeps over all vertices.
  void improve(const thread_graph& graph, std::span<std::uint32_t> vertex_at, unsigned sweeps);
  /// The same, where a vertex away from its leaf home_of[vertex] (swap_table::no_home: it has none)
  /// costs `price` more.
  void improve(const thread_graph& graph, std::span<std::uint32_t> vertex_at, unsigned sweeps,
               std::span<const std::uint32_t> home_of, std::int32_t price);

  std::int64_t cost(const thread_graph& graph, std::span<const std::uint32_t> vertex_at);

 private:
  std::int64_t change(std::uint32_t a, std::uint32_t b) const;
  std::int64_t away(std::uint32_t vertex, std::uint32_t slot) const;
  std::int64_t least_change(std::uint32_t v, std::uint32_t group) const;
  bool improve_vertex(std::span<std::uint32_t> vertex_at, std::uint32_t v);

  const slot_tree& tree_;
  const thread_graph* graph_ = nullptr;
  std::span<const std::uint32_t> home_of_;  ///< empty: nobody has a home
  std::int32_t price_ = 0;
  std::vector<std::uint32_t> slot_of_;
  std::vector<std::uint8_t> quiet_;
  std::size_t around_ = 0;  ///< level whose groups are tried around the neighbours of a vertex
  std::vector<std::uint32_t> seen_;
};

}  // namespace numatch::engine
