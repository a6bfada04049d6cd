// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// A set of vertices that is to be cut, as it is or shrunk: a table of all its pairs, because for
/// the sizes of threads on a machine rows that the processor adds up eight at a time are faster
/// than lists. Large sets of sparse graphs are lists.
struct cut_scale {
  std::size_t count = 0;
  std::size_t stride = 0;
  bool listed = false;  ///< `first` and `edges` hold it instead of `rows`
  std::vector<std::int32_t> rows;
  std::vector<std::size_t> first;
  std::vector<thread_graph::edge> edges;
  std::vector<std::int32_t> degree;
  std::vector<std::int32_t> pull;    ///< what a vertex costs more on side b because of others
  std::vector<std::uint8_t> side;    ///< 1: side a
  std::vector<std::uint32_t> whole;  ///< of each vertex: the one it becomes a part of

  std::span<const thread_graph::edge> edges_of(std::size_t v) const {
    return std::span(edges).subspan(first[v], first[v + 1] - first[v]);
  }
  /// Adds `times` what v shares with each vertex.
  void add_times(std::uint32_t v, std::int32_t times, std::vector<std::int32_t>& to) const;
};

/// The same set at every step of shrinking by matchings: the pairs of vertices that share most
/// become one (Hendrickson and Leland).
class cut_scales {
 public:
  /// Shrinking stops here: few enough to try several starts.
  static constexpr std::size_t small = 20;

  /// For graphs of `vertices`, and sets of at most `most` of them.
  cut_scales(std::size_t vertices, std::size_t most);
  /// Allocates for dense and for sparse graphs, so that nothing later does.
  void reserve();

  /// Makes scale 0. `pull` of each of `part`, or empty.
  void extract(const thread_graph& graph, std::span<const std::uint32_t> part,
               std::span<const std::int32_t> pull);
  /// Makes scale level + 1 from scale level; false when it would not be smaller.
  bool shrink(std::size_t level, random_source& random);

  cut_scale& operator[](std::size_t level) { return scales_[level]; }

 private:
  void extract_list(const thread_graph& graph, std::span<const std::uint32_t> part);
  void extract_rows(const thread_graph& graph, std::span<const std::uint32_t> part);
  std::uint32_t best_free(const cut_scale& s, std::uint32_t v, std::int32_t& weight);
  std::size_t match(cut_scale& fine, random_source& random);
  void shrink_list(const cut_scale& fine, cut_scale& coarse);
  void shrink_rows(const cut_scale& fine, cut_scale& coarse);

  std::vector<cut_scale> scales_;
  std::vector<std::int32_t> masked_;
  std::vector<std::int32_t> taken_;
  std::vector<std::uint32_t> first_part_;  ///< of each whole
  std::vector<std::uint32_t> other_part_;  ///< `nobody`: there is none
  std::vector<std::size_t> edge_place_;
  std::vector<std::uint32_t> place_;  ///< of each vertex of the graph in the set; `nobody` outside
};

}  // namespace numatch::engine
