// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/engine/slot_tree.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// Places vertices from the top of the tree down: the slots of a group are halved by children, the
/// vertices with them so that as little as possible is cut, and so on (dual recursive
/// bipartitioning after Pellegrini). In a tree the inside of a group does not depend on where
/// the rest is, so each part is a problem of its own. For graphs with rows.
class dense_cutter {
 public:
  explicit dense_cutter(std::size_t vertices);

  /// Fills slot_of[vertex]. Each cut is the best of `tries` grown from different vertices.
  void place(const thread_graph& graph, const slot_tree& tree, unsigned tries, random_source& random,
             std::span<std::uint32_t> slot_of);

 private:
  void split_children(std::size_t level, std::uint32_t from, std::uint32_t end);
  void cut(std::uint32_t first, std::uint32_t middle, std::uint32_t end);
  void extract(std::uint32_t first, std::size_t count);
  void grow(std::size_t count, std::size_t wanted, std::uint32_t seed);
  std::int64_t refine(std::size_t count);
  std::int64_t cut_now(std::size_t count) const;

  const thread_graph* graph_ = nullptr;
  const slot_tree* tree_ = nullptr;
  random_source* random_ = nullptr;
  unsigned tries_ = 1;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> order_;  ///< vertices by slot, more and more in their final place
  std::vector<std::uint32_t> next_;
  std::vector<std::int32_t> rows_;  ///< of the part being cut
  std::vector<std::int32_t> degree_;
  std::vector<std::int32_t> gain_a_;  ///< of moving a vertex of side a; `out` for the others
  std::vector<std::int32_t> gain_b_;
  std::vector<std::int32_t> near_;
  std::vector<std::uint8_t> side_;
  std::vector<std::uint8_t> best_side_;
  std::vector<std::uint32_t> moved_;
};

}  // namespace numatch::engine
