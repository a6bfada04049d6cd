// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// Lines vertices up so that those that share most are neighbours: the heaviest edges that leave
/// every vertex with at most two neighbours and close no ring. Chains, rings and pipelines come out
/// as they are, and cutting the line into slots maps them best.
class path_order {
 public:
  struct link {
    std::int32_t weight;
    std::uint32_t a, b;
  };

  explicit path_order(std::size_t vertices);
  /// Fills vertex_at[place in the line].
  void line_up(const thread_graph& graph, std::span<std::uint32_t> vertex_at);
  /// The edges that were looked at, the heaviest first; an edge can be there twice.
  std::span<const link> links() const { return links_; }

 private:
  static constexpr std::size_t kept = 4;  ///< edges per vertex that are looked at
  std::uint32_t end_of(std::uint32_t v);
  void collect(const thread_graph& graph);

  std::vector<link> links_;
  std::vector<std::uint32_t> next_;  ///< two per vertex
  std::vector<std::uint32_t> root_;
};

}  // namespace numatch::engine
