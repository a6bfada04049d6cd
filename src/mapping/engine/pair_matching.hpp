// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// Pairs every vertex of a graph with one that shares most with it, as both see it where possible
/// (a locally heaviest matching); those that share with nobody free are paired as they come. The
/// graph must have an even number of vertices.
class pair_matcher {
 public:
  explicit pair_matcher(std::size_t vertices);

  void match(const thread_graph& graph, random_source& random);

  /// The heaviest pairs of neighbours in a line of all vertices, such as path_order makes, and
  /// then as above: the global paths algorithm of Maue and Sanders, WEA 2007. Wants rows.
  void match_along(const thread_graph& graph, std::span<const std::uint32_t> line);

  /// The vertices of pair 0, of pair 1, …, and the pair of each vertex.
  const std::vector<std::uint32_t>& members() const { return members_; }
  const std::vector<std::uint32_t>& pair_of() const { return pair_of_; }

 private:
  void clear();
  void join(std::uint32_t a, std::uint32_t b);
  void match_rest(const thread_graph& graph, std::uint32_t start);
  std::uint32_t best_free(const thread_graph& graph, std::uint32_t v, std::int32_t& weight) const;

  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> pair_of_;
  std::vector<std::int64_t> heaviest_;  ///< work space of match_along()
};

}  // namespace numatch::engine
