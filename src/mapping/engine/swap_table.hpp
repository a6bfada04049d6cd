// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/slot_tree.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// A permutation of vertices over slots, with what every vertex shares with every group of every
/// level: the cost change of a swap is then a sum over levels, and a swap adds and subtracts rows.
/// For graphs with rows.
class swap_table {
 public:
  /// Allocates for this tree.
  explicit swap_table(const slot_tree& tree);

  /// Starts from vertex_at[slot]; `graph` must outlive the use.
  void start(const thread_graph& graph, std::span<const std::uint32_t> vertex_at);

  std::span<const std::uint32_t> vertex_at() const { return vertex_at_; }
  /// Cost in the whole numbers of graph and tree.
  std::int64_t cost() const { return cost_; }

  /// From now on every vertex that is not on its leaf home_of[vertex] costs `price` more
  /// (no_home: it has none). Until the next start().
  void set_homes(std::span<const std::uint32_t> home_of, std::int32_t price);
  static constexpr std::uint32_t no_home = ~0U;

  /// What swapping two vertices changes the cost by.
  std::int32_t change(std::uint32_t u, std::uint32_t v) const;
  void swap(std::uint32_t u, std::uint32_t v, std::int32_t change);

  /// Brings vertices to other slots until vertex_at() is the one given.
  void rearrange(std::span<const std::uint32_t> vertex_at);
  /// What a vertex shares with a group of a level, itself left out.
  std::int32_t shared(std::size_t level, std::uint32_t group, std::uint32_t vertex) const {
    return shared_[(first_row_[level] + group) * stride_ + vertex];
  }

  /// Swaps every vertex with its best partner until no swap lowers the cost.
  void descend();
  /// The same, beginning at some vertices and going on only where something was swapped. At the end
  /// `queue` is empty.
  void descend_from(std::vector<std::uint32_t>& queue);

 private:
  void shift_edges(std::size_t level, std::uint32_t v, std::uint32_t from, std::uint32_t to);
  std::int32_t homecoming(std::uint32_t u, std::uint32_t v) const;
  std::int32_t best_partner(std::uint32_t u, std::uint32_t& partner);
  std::uint32_t* groups_of(std::size_t level) { return group_of_.data() + level * vertices_; }
  const std::uint32_t* groups_of(std::size_t level) const {
    return group_of_.data() + level * vertices_;
  }

  const slot_tree& tree_;
  const thread_graph* graph_ = nullptr;
  std::size_t vertices_ = 0;
  std::size_t stride_ = 0;
  std::int64_t cost_ = 0;
  std::vector<std::size_t> first_row_;    ///< of each level in shared_
  std::vector<std::int32_t> shared_;      ///< row per group of each level, column per vertex
  std::vector<std::uint32_t> slot_of_;    ///< of each vertex
  std::vector<std::uint32_t> vertex_at_;  ///< of each slot
  std::vector<std::uint32_t> group_of_;   ///< level x vertex
  std::vector<std::int32_t> own_;         ///< weighted sharing of a vertex where it is
  std::int32_t price_ = 0;                ///< of a vertex away from home
  std::vector<std::uint32_t> home_;       ///< leaf of each vertex
  std::vector<std::uint32_t> leaf_;
  std::vector<std::int32_t> near_;  ///< work space: per group of a level
  std::vector<std::int32_t> reach_;
  std::vector<std::int32_t> near_above_;
  std::vector<std::int32_t> reach_above_;
  std::vector<std::int32_t> gains_;  ///< of swaps with each vertex; INT32_MIN beyond them
};

}  // namespace numatch::engine
