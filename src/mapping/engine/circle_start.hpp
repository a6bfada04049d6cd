// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/engine/slot_tree.hpp"
#include "mapping/engine/thread_graph.hpp"
#include "mapping/engine/tree_cut.hpp"

namespace numatch::engine {

/// Places vertices so that circles that share strongly, such as the stages of a pipeline, stay
/// whole as far down the tree as their sizes add up to the sizes of its parts. Of all ways to share
/// out few circles the one that cuts least is taken; cuts and exchanges of single vertices or pairs
/// do not find it, because between two such ways every step costs.
class circle_start {
 public:
  explicit circle_start(const slot_tree& tree);

  /// Fills vertex_at[slot]; false, and nothing filled, where there are too many circles to look at
  /// all ways, or none keeps them whole on the widest level.
  bool place(const thread_graph& graph, tree_cutter& cutter, random_source& random,
             std::span<std::uint32_t> vertex_at);

 private:
  struct circle {
    std::vector<std::uint32_t> members;
    std::vector<std::int64_t> shared;  ///< with each of the circles
  };
  using list = std::vector<std::uint32_t>;  ///< of circles
  /// What share_out() has found and where it stands.
  struct halves {
    std::size_t free_a = 0;
    std::size_t free_b = 0;
    std::int64_t cut = 0;
    std::int64_t least = 0;  ///< < 0: none found yet
    std::uint32_t in_a = 0;  ///< bit i: the i-th circle is in a
    std::uint32_t best_in_a = 0;
  };

  std::uint32_t root_of(std::uint32_t v);
  bool find_circles(const thread_graph& graph);
  void share_out(const list& circles, std::size_t next, halves& h) const;
  bool split(const list& circles, std::uint32_t from, std::uint32_t end);

  const slot_tree& tree_;
  std::vector<std::uint32_t> root_;
  std::vector<circle> circles_;
  const thread_graph* graph_ = nullptr;
  tree_cutter* cutter_ = nullptr;
  random_source* random_ = nullptr;
  std::span<std::uint32_t> vertex_at_;
};

}  // namespace numatch::engine
