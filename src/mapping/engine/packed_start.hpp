// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mapping/engine/path_order.hpp"
#include "mapping/engine/tree_cut.hpp"

namespace numatch::engine {

/// Places vertices by packing: what shares most grows together to fragments no larger than a group
/// of a level, fragments are packed into its groups so that few are split (best fit, the largest
/// first), the groups are placed by the levels above, and their insides are cut. Where threads
/// share in many small closed circles, pipelines and clusters of odd sizes, cuts from the top do
/// not know how the sizes will fit at the bottom.
class packed_start {
 public:
  /// For the levels from `first_level` on.
  packed_start(const slot_tree& tree, std::size_t first_level);

  /// Allocates for the densest graph too, so that place() does not.
  void reserve();

  /// Fills vertex_at[slot]; false, and nothing filled, where the groups of the level differ in
  /// size. `line` must have lined up this graph; line_at is its result.
  bool place(const thread_graph& graph, std::size_t level, const path_order& line,
             std::span<const std::uint32_t> line_at, tree_cutter& cutter, random_source& random,
             std::span<std::uint32_t> vertex_at);

 private:
  /// The groups of a level as slots of the levels above.
  struct upper_part {
    explicit upper_part(slot_tree above) : tree(std::move(above)), cutter(tree, tree.size()) {}
    slot_tree tree;
    tree_cutter cutter;
    thread_graph graph;
    std::vector<std::uint32_t> group_at;
  };

  void grow_fragments(const path_order& line, std::uint32_t most);
  void weigh_fragments(const thread_graph& graph);
  void pack(std::span<const std::uint32_t> line_at, std::uint32_t groups, std::uint32_t size);
  void put(std::uint32_t fragment, std::uint32_t group, std::uint32_t size);
  std::uint32_t root_of(std::uint32_t v);

  const slot_tree& tree_;
  std::vector<std::unique_ptr<upper_part>> upper_;  ///< per level; null for the widest
  std::vector<std::uint32_t> root_;
  std::vector<std::uint32_t> size_;
  std::vector<std::int64_t> strength_;
  std::vector<std::uint32_t> first_;      ///< of each fragment: its members in `members_`
  std::vector<std::uint32_t> fragments_;  ///< roots, the largest first
  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> group_of_;  ///< of each vertex
  std::vector<std::uint32_t> free_;      ///< slots left in each group
  std::vector<std::uint32_t> packed_;    ///< vertices by group
};

/// The deepest level with room for whole circles of threads in its groups, 0 where none has.
std::size_t low_level(const slot_tree& tree);

}  // namespace numatch::engine
