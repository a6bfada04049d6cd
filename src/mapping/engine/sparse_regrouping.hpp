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

/// What regrouping does, without tables, for graphs with few edges per vertex: two groups that
/// share something are placed anew together, weighed by going through the edges of their vertices,
/// and what is not worse is kept.
class sparse_regrouping {
 public:
  explicit sparse_regrouping(const slot_tree& tree);

  /// Tries `rounds` pairs of groups of at most `most` vertices together, on vertex_at[slot].
  void improve(const thread_graph& graph, std::span<std::uint32_t> vertex_at, tree_cutter& cutter,
               std::uint64_t rounds, std::size_t most, random_source& random);

 private:
  struct group_pair {
    std::size_t level = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };
  bool choose(group_pair& chosen, std::size_t most, random_source& random) const;
  bool is_in(const group_pair& groups, std::uint32_t slot) const;
  std::int64_t twice_cost(const group_pair& groups, std::span<const std::uint32_t> vertex_at) const;
  void weigh(const group_pair& groups, std::span<const std::uint32_t> vertex_at);
  /// Calls say(slot) for every slot of both groups.
  template <class Say>
  void for_each_slot(const group_pair& groups, Say say) const;

  const slot_tree& tree_;
  const thread_graph* graph_ = nullptr;
  std::vector<std::uint32_t> slot_of_;
  std::vector<std::int32_t> pull_;
  std::vector<std::uint32_t> before_;
};

}  // namespace numatch::engine
