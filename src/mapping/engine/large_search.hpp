// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/path_order.hpp"
#include "mapping/engine/sparse_descent.hpp"
#include "mapping/engine/sparse_regrouping.hpp"
#include "mapping/engine/tree_cut.hpp"
#include "mapping/mapper.hpp"

namespace numatch::engine {

/// Above so many vertices tables of all pairs no longer pay, where few vertices share.
inline constexpr std::size_t most_in_tables = 1024;

/// Maps large graphs without tables: from the top down and along a line, each followed by swaps
/// that go through edges; the best is regrouped. Allocates when it is made and, without reserve(),
/// for the first graphs of a kind.
class large_search {
 public:
  explicit large_search(const slot_tree& tree);

  /// Allocates for all graphs, so that run() and refine() do not.
  void reserve() { cutter_.reserve(); }

  /// Returns vertex_at[slot], valid until the next call.
  std::span<const std::uint32_t> run(const thread_graph& graph, mapping_budget budget,
                                     random_source& random);
  /// Only goes down from vertex_at[slot], where a vertex away from its home leaf costs `price`.
  std::span<const std::uint32_t> refine(const thread_graph& graph,
                                        std::span<const std::uint32_t> vertex_at,
                                        std::span<const std::uint32_t> home_of, std::int32_t price);

 private:
  const slot_tree& tree_;
  tree_cutter cutter_;
  sparse_descent descent_;
  sparse_regrouping regrouping_;
  path_order line_;
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> best_;
};

}  // namespace numatch::engine
