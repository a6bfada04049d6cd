// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/engine/random.hpp"
#include "mapping/limits.hpp"
#include "mapping/mapper.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch::engine {

/// Improves a mapping under everything that a request may ask for: distances of any kind, limits of
/// load, weights, pinned threads, and a price for every thread that is not where it runs now. Moves
/// single threads and swaps two. Knows for every thread what every place would cost, so a
/// change is weighed in a few steps; making it costs neighbours x PUs.
///
/// The objective is mapping_cost + move_cost x threads moved, in the request's own numbers.
class flexible_search {
 public:
  /// References must outlive the search.
  flexible_search(const mapping_request& request, const pu_tree& tree, const load_limits& limits);

  /// leaf_of[thread] must keep the limits.
  void start(std::span<const std::uint32_t> leaf_of);
  std::span<const std::uint32_t> leaf_of() const { return leaf_of_; }
  /// The objective, up to rounding.
  double objective() const { return objective_; }

  /// Until neither a move nor a swap of two lowers the objective, or so many additions were made.
  void descend(std::uint64_t most_work = ~std::uint64_t{0});
  /// Annealing from a hot to a cold temperature (in the unit of the objective).
  void anneal(std::uint64_t proposals, double hot, double cold, random_source& random);
  /// Additions that moving one thread takes, about; start() takes as many per thread.
  std::uint64_t work_of_change() const { return work_of_change_; }
  /// Additions made since the search was made: those of tables, of changes, and of looking for
  /// them.
  std::uint64_t work() const { return work_; }
  /// What a thread pays on average: a measure for temperatures.
  double mean_cost() const;

 private:
  struct change {
    double gain = 0;
    std::uint32_t thread = 0;
    std::uint32_t partner = 0;  ///< `nobody`: a move
    std::uint32_t leaf = 0;     ///< of a move
  };
  static constexpr std::uint32_t nobody = ~0U;

  double place_cost(std::size_t t, std::size_t leaf) const { return cost_[t * leaves_ + leaf]; }
  double stay_bonus(std::uint32_t t, std::uint32_t leaf) const {
    return !home_.empty() && home_[t] == leaf ? move_cost_ : 0;
  }
  double between(std::size_t a, std::size_t b) const { return sharing_[a * threads_ + b]; }
  double distance(std::size_t a, std::size_t b) const { return distance_[a * leaves_ + b]; }
  bool is_pinned(std::size_t t) const {
    return !request_.pinned.empty() && request_.pinned[t].has_value();
  }
  double weight(std::size_t t) const { return request_.weights.empty() ? 1 : request_.weights[t]; }
  double move_gain(std::uint32_t t, std::uint32_t leaf) const;
  double swap_gain(std::uint32_t a, std::uint32_t b) const;
  bool fits(std::uint32_t leaf, double more, std::uint32_t leaves_from) const;
  bool may_move(std::uint32_t t, std::uint32_t leaf) const;
  bool may_swap(std::uint32_t a, std::uint32_t b) const;
  void put(std::uint32_t t, std::uint32_t leaf);
  void apply(const change& c);
  change best_for(std::uint32_t t);

  const mapping_request& request_;
  const pu_tree& tree_;
  const load_limits& limits_;
  std::size_t threads_;
  std::size_t leaves_;
  std::uint64_t work_of_change_ = 1;
  std::uint64_t work_ = 0;
  double move_cost_ = 0;
  double smallest_gain_ = 0;
  double objective_ = 0;
  std::vector<double> sharing_;   ///< of pairs, both directions added
  std::vector<double> distance_;  ///< leaf x leaf
  std::vector<double> cost_;      ///< thread x leaf: what the thread's sharing would cost there
  std::vector<std::uint32_t> leaf_of_;
  std::vector<std::uint32_t> home_;        ///< leaf where each thread runs now
  std::vector<std::vector<double>> load_;  ///< level x group
};

}  // namespace numatch::engine
