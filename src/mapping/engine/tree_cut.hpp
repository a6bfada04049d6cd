// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/bipartition.hpp"
#include "mapping/engine/slot_tree.hpp"

namespace numatch::engine {

/// Places vertices from the top of the tree down: the slots of a group are halved by children, the
/// vertices with them so that as little as possible is cut, and so on (dual recursive
/// bipartitioning after Pellegrini). In a tree the inside of a group does not depend on where the
/// rest is, so each part is a problem of its own.
class tree_cutter {
 public:
  /// Cuts at most `most` vertices at once.
  tree_cutter(const slot_tree& tree, std::size_t most);

  void reserve() { cutter_.reserve(); }

  /// Fills vertex_at[slot].
  void place(const thread_graph& graph, const cut_effort& effort, random_source& random,
             std::span<std::uint32_t> vertex_at);

  /// Places the vertices on the slots of two groups of a level anew on these slots: first the cut
  /// between the groups, then inside each. `pull[i]` is what the i-th of these vertices (those of
  /// group a first) costs more in b than in a because of everybody else, divided by what a unit of
  /// sharing costs between a and b.
  void recut(const thread_graph& graph, std::size_t level, std::uint32_t a, std::uint32_t b,
             std::span<const std::int32_t> pull, const cut_effort& effort, random_source& random,
             std::span<std::uint32_t> vertex_at);

  /// Places the vertices of some groups of a level, all with one parent, anew on their slots. What
  /// they share with others is equally far from all of these groups.
  void recut(const thread_graph& graph, std::size_t level, std::span<const std::uint32_t> siblings,
             const cut_effort& effort, random_source& random, std::span<std::uint32_t> vertex_at);

  /// Places everything in the groups [from, end) of the widest level anew.
  void replace(const thread_graph& graph, std::uint32_t from, std::uint32_t end,
               const cut_effort& effort, random_source& random, std::span<std::uint32_t> vertex_at);

  /// Places everything inside one group of a level anew.
  void resplit(const thread_graph& graph, std::size_t level, std::uint32_t group,
               const cut_effort& effort, random_source& random, std::span<std::uint32_t> vertex_at);

 private:
  void begin(const thread_graph& graph, const cut_effort& effort, random_source& random,
             std::span<std::uint32_t> vertex_at);
  void split_inside(std::size_t level, std::uint32_t group);
  void deal_out(std::size_t level, std::span<const std::uint32_t> groups,
                std::span<std::uint32_t> part);
  void split_children(std::size_t level, std::uint32_t from, std::uint32_t end);

  const slot_tree& tree_;
  bipartitioner cutter_;
  const thread_graph* graph_ = nullptr;
  random_source* random_ = nullptr;
  cut_effort effort_;
  std::span<std::uint32_t> vertex_at_;
  std::vector<std::uint32_t> part_;
};

}  // namespace numatch::engine
