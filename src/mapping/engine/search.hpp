// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mapping/engine/best_starts.hpp"
#include "mapping/engine/circle_start.hpp"
#include "mapping/engine/packed_start.hpp"
#include "mapping/engine/pair_matching.hpp"
#include "mapping/engine/path_order.hpp"
#include "mapping/engine/regrouping.hpp"
#include "mapping/engine/swap_table.hpp"
#include "mapping/engine/tree_cut.hpp"
#include "mapping/mapper.hpp"

namespace numatch::engine {

/// How much is tried. Everything is counted, nothing is timed.
struct search_effort {
  unsigned starts = 1;            ///< placements from the top down
  cut_effort cut;                 ///< of each
  bool line = false;              ///< also a placement along a line
  bool screened = false;          ///< only the best start is refined, not all
  std::uint64_t regroupings = 0;  ///< of each placement that is improved
  cut_effort regrouped = {1, 0};
  unsigned improved = 1;  ///< so many of what starts led to are regrouped, the best first
  /// Where so many starts end at the same lowest cost, only that is improved, by so many
  /// regroupings; where fewer do, more starts from the top down come before. 0: not asked.
  unsigned agreeing = 0;
  std::uint64_t agreed_regroupings = 0;
  unsigned more_starts = 0;
  /// Also starts with pairs of vertices as one: so many times, each with so many regroupings of
  /// pairs.
  unsigned paired = 0;
  std::uint64_t paired_regroupings = 0;
  cut_effort paired_cut = {1, 1};
  /// Also starts by packing fragments, on so many levels, the widest first; wants `line`.
  unsigned packed = 0;
  /// Also a start that keeps circles whole, in trees of up to so many slots: more have too many.
  static constexpr std::size_t most_for_circles = 128;
  /// Exchanges tried per vertex, between two halves of the regroupings, that may cost a little.
  std::uint64_t loose_swaps = 0;
  /// Also a start that fills the widest groups along the line and cuts inside them; wants `line`.
  bool lined = false;
  /// Also a start by packing fragments on packed_start::low_level(); wants `line`.
  bool packed_low = false;
};
/// The price of a move in the whole numbers of a graph and a tree; at most what leaves room for
/// sums.
std::int32_t whole_price(double move_cost, const thread_graph& graph, const slot_tree& tree);

search_effort effort_for(mapping_budget budget, std::size_t vertices);

/// Finds a good permutation of the vertices of a graph over the slots of a tree. Allocates
/// when it is made and, without reserve(), for the first graphs of a kind.
class search {
 public:
  /// For runs with the effort of this budget.
  search(const slot_tree& tree, mapping_budget budget);

  /// Allocates for the densest graph too, so that run() with the online effort and refine() do not
  /// allocate.
  void reserve();

  /// Returns vertex_at[slot], valid until the next call.
  std::span<const std::uint32_t> run(const thread_graph& graph, const search_effort& effort,
                                     random_source& random);

  /// Only goes down from vertex_at[slot], where a vertex away from its home leaf costs `price`.
  std::span<const std::uint32_t> refine(const thread_graph& graph,
                                        std::span<const std::uint32_t> vertex_at,
                                        std::span<const std::uint32_t> home_of, std::int32_t price);

 private:
  /// `halvings`: how many times pairs of vertices may become one for paired starts.
  search(const slot_tree& tree, unsigned halvings);
  void try_start(const thread_graph& graph, bool refined);
  void try_all_starts(const thread_graph& graph, const search_effort& effort,
                      random_source& random);
  void improve_starts(const thread_graph& graph, const search_effort& effort,
                      random_source& random);
  void improve(const thread_graph& graph, const search_effort& effort, std::uint64_t regroupings,
               random_source& random);
  void swap_loosely(std::uint64_t proposals, random_source& random);
  void keep_if_best();
  void start_with_pairs(const thread_graph& graph, const search_effort& effort, bool along_line,
                        random_source& random);

  const slot_tree& tree_;
  tree_cutter cutter_;
  path_order line_;
  swap_table table_;
  regrouping regrouping_;
  std::vector<std::uint32_t> start_;
  best_starts starts_;
  std::vector<std::uint32_t> best_;
  std::int64_t best_cost_ = 0;
  std::unique_ptr<packed_start> packed_;
  circle_start circles_;
  std::vector<std::uint32_t> line_at_;
  pair_matcher matcher_;
  thread_graph half_graph_;
  std::unique_ptr<slot_tree> half_tree_;  ///< null where pairs do not fit the slots
  std::unique_ptr<search> half_;
};

}  // namespace numatch::engine
