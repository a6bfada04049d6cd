// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/engine/thread_graph.hpp"

namespace numatch::engine {

/// How hard one cut is tried: sides grown from so many vertices, in the graph as it is and in the
/// graph shrunk by matching the vertices that share most. The best one is taken.
struct cut_effort {
  unsigned flat = 1;
  unsigned shrunk = 0;
};

/// Cuts a set of vertices into two sides of given sizes so that little is shared across: greedy
/// graph growing, then passes of swaps (Kernighan and Lin, with the gains kept as Fiduccia and
/// Mattheyses do), optionally on a hierarchy of matchings (Hendrickson and Leland). The set is kept
/// as a table of all its pairs: for the sizes of threads on a machine, rows that the processor
/// adds up eight at a time are faster than lists. Large sets of sparse graphs are lists.
class bipartitioner {
 public:
  /// For graphs of `vertices`, of which at most `most` are cut at once.
  bipartitioner(std::size_t vertices, std::size_t most);

  /// Allocates for dense and for sparse graphs, so that cut() never does.
  void reserve();

  /// Reorders `part` so that side a, of size_a vertices, comes first. `pull[i]` is what part[i]
  /// costs more on side b because of vertices outside; empty means nothing.
  void cut(const thread_graph& graph, std::span<std::uint32_t> part,
           std::span<const std::int32_t> pull, std::size_t size_a, const cut_effort& effort,
           random_source& random);

 private:
  /// The set at one step of shrinking: level 0 is the set itself.
  struct scale {
    std::size_t count = 0;
    std::size_t stride = 0;
    bool listed = false;  ///< `first` and `edges` hold it instead of `rows`
    std::vector<std::int32_t> rows;
    std::vector<std::size_t> first;
    std::vector<thread_graph::edge> edges;
    std::span<const thread_graph::edge> edges_of(std::size_t v) const {
      return std::span(edges).subspan(first[v], first[v + 1] - first[v]);
    }
    std::vector<std::int32_t> degree;
    std::vector<std::int32_t> pull;
    std::vector<std::uint8_t> side;    ///< 1: side a
    std::vector<std::uint32_t> whole;  ///< of each vertex: the one it becomes a part of
  };

  void extract(const thread_graph& graph, std::span<const std::uint32_t> part,
               std::span<const std::int32_t> pull);
  void extract_list(const thread_graph& graph, std::span<const std::uint32_t> part);
  void extract_rows(const thread_graph& graph, std::span<const std::uint32_t> part);
  static void add_twice(const scale& s, std::uint32_t v, std::vector<std::int32_t>& up,
                        std::vector<std::int32_t>& down);
  static void add_times(const scale& s, std::uint32_t v, std::int32_t times,
                        std::vector<std::int32_t>& to);
  std::uint32_t best_free(const scale& s, std::uint32_t v, std::int32_t& weight);
  bool shrink(std::size_t level, random_source& random);
  void shrink_list(const scale& fine, scale& coarse);
  void shrink_rows(const scale& fine, scale& coarse);
  std::size_t match(scale& fine, random_source& random);
  void grow(scale& s, std::size_t size_a, std::uint32_t seed);
  std::int64_t refine(scale& s);
  void fill_up(scale& s, std::size_t size_a);
  void count_near(scale& s);
  void add_gains(const scale& s);
  std::int64_t cut_flat(std::size_t size_a, unsigned tries, random_source& random,
                        std::size_t level);
  void keep(const scale& s);

  std::vector<scale> scales_;
  std::vector<std::int32_t> gain_a_;  ///< of moving a vertex of side a; `out` for the others
  std::vector<std::int32_t> gain_b_;
  std::vector<std::int32_t> near_;  ///< -2 x what a vertex shares with side a
  std::vector<std::int32_t> masked_;
  std::vector<std::int32_t> taken_;
  std::vector<std::uint8_t> best_side_;    ///< of the tries on one scale
  std::vector<std::uint8_t> chosen_side_;  ///< of all tries
  std::vector<std::uint32_t> moved_;
  std::vector<std::uint32_t> sorted_;
  std::vector<std::size_t> edge_place_;
  std::vector<std::uint32_t> place_;  ///< of each vertex of the graph in the set; `nobody` outside
};

}  // namespace numatch::engine
