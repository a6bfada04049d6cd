// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "mapping/alignment.hpp"
#include "mapping/engine/bounded_search.hpp"
#include "mapping/engine/flexible_search.hpp"
#include "mapping/engine/group_arrangement.hpp"
#include "mapping/engine/large_search.hpp"
#include "mapping/engine/search.hpp"
#include "mapping/engine/slots.hpp"
#include "mapping/exact_search.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/level_costs.hpp"
#include "mapping/repair.hpp"

namespace numatch {

namespace {

/// So many threads are worth trying to enumerate, in so many operations.
constexpr std::size_t few_threads = 10;
constexpr std::uint64_t cheap_enumeration = 1'000'000;

/// Threads x pairs that share: so much of a matrix is worth greatest matchings.
constexpr std::uint64_t most_matching = 2'000'000'000;

using leaves = std::vector<std::uint32_t>;  // of each thread

/// The request as slots and a graph in whole numbers, with the search over them.
struct slot_problem {
  engine::slot_tree places;
  engine::thread_graph graph;
  std::optional<engine::search> search;       ///< where tables pay ...
  std::optional<engine::large_search> large;  ///< ... and where they do not

  slot_problem(const sharing_matrix& sharing, const pu_tree& tree, const level_costs& costs,
               const std::vector<std::uint32_t>& slots, mapping_budget budget)
      : places(tree, costs, slots) {
    graph.load(sharing, places.size());
    if (places.size() > engine::most_in_tables && graph.is_sparse()) {
      large.emplace(places);
      return;
    }
    graph.make_rows();
    search.emplace(places, budget);
  }
  leaves leaves_of(std::span<const std::uint32_t> vertex_at, std::size_t threads) const {
    leaves of(threads);
    for (std::size_t slot = 0; slot < vertex_at.size(); ++slot) {
      if (vertex_at[slot] < threads) of[vertex_at[slot]] = places.leaf_of(slot);
    }
    return of;
  }
};

/// One request on its way to an answer.
class numatch_run {
 public:
  explicit numatch_run(const mapping_request& request)
      : request_(request),
        tree_(request.machine, request.allowed),
        limits_(limits_of(request, tree_)),
        costs_(costs_by_level(request.machine, request.distances)),
        follows_tree_(costs_.exact && same_pu_is_free()),
        random_(request.seed) {
    if (!costs_.exact) make_falling();
  }

  thread_mapping answer();

 private:
  bool same_pu_is_free() const;
  void make_falling();
  bool threads_are_alike() const;
  /// Slots, tree and search together answer the request: nothing is left for flexible_search.
  bool is_plain() const { return follows_tree_ && limits_.uniform; }

  slot_problem& slots();
  leaves fresh();
  leaves from_slots();
  leaves from_arrangements();
  leaves within_limits(leaves of) const;
  leaves with_all_constraints(const leaves& start, std::uint64_t annealing);
  leaves descend_from(const leaves& start);
  leaves from_matching();
  leaves current_in_new_order();
  leaves close_to_current();
  double cost_of(const leaves& of) const;
  double objective(const leaves& of) const;

  const mapping_request& request_;
  const pu_tree tree_;
  const load_limits limits_;
  level_costs costs_;
  const bool follows_tree_;
  engine::random_source random_;
  std::optional<slot_problem> slots_;
  leaves current_;  ///< where the threads run now; pu_tree::no_leaf: not on an allowed PU
};

bool numatch_run::same_pu_is_free() const {
  if (request_.distances.counts_hops()) return true;
  for (std::uint32_t pu = 0; pu < request_.machine.pu_count(); ++pu) {
    if (request_.distances.at(pu_id(pu), pu_id(pu)) != 0) return false;
  }
  return true;
}

/// Where distances do not follow the tree, the tree is still a good place to start from.
void numatch_run::make_falling() {
  double below = 0;
  for (std::size_t l = costs_.cost.size(); l-- > 0;) {
    costs_.cost[l] = std::max(costs_.cost[l], 1.05 * below);
    if (costs_.cost[l] <= 0) costs_.cost[l] = 1;
    below = costs_.cost[l];
  }
}

bool numatch_run::threads_are_alike() const {
  return std::adjacent_find(request_.weights.begin(), request_.weights.end(),
                            std::not_equal_to<>()) == request_.weights.end();
}

slot_problem& numatch_run::slots() {
  if (slots_) return *slots_;
  std::vector<std::uint32_t> slots(tree_.size(), 0);
  if (threads_are_alike()) {
    slots = engine::slots_of_leaves(limits_, tree_);
  } else {
    for (const std::uint32_t leaf : limits_.witness) ++slots[leaf];
  }
  return slots_.emplace(request_.sharing, tree_, costs_, slots, request_.budget);
}

/// Proposals of annealing per thread.
std::uint64_t annealing_of(mapping_budget budget) {
  switch (budget) {
    case mapping_budget::online:
      return 0;
    case mapping_budget::standard:
      return 1000;
    case mapping_budget::best:
      break;
  }
  return 10000;
}

leaves numatch_run::within_limits(leaves of) const {
  if (!keeps_limits(of, request_, tree_, limits_)) {
    repair(of, request_, tree_, limits_, sharing_graph(request_.sharing));
  }
  return of;
}

/// Improves `start` with everything that the request asks for.
leaves numatch_run::with_all_constraints(const leaves& start, std::uint64_t annealing) {
  return engine::search_bounded(request_, tree_, limits_, within_limits(start), annealing, {},
                                random_)
      .leaf_of;
}

leaves numatch_run::from_slots() {
  slot_problem& problem = slots();
  const std::size_t threads = request_.sharing.size();
  if (problem.large) {
    return problem.leaves_of(problem.large->run(problem.graph, request_.budget, random_), threads);
  }
  const engine::search_effort effort = engine::effort_for(request_.budget, problem.places.size());
  return problem.leaves_of(problem.search->run(problem.graph, effort, random_), threads);
}

/// Where distances do not follow the tree: several partitions for the tree's groups, the groups
/// arranged by distance, and the best of these.
leaves numatch_run::from_arrangements() {
  const unsigned starts = request_.budget == mapping_budget::online     ? 1
                          : request_.budget == mapping_budget::standard ? 8
                                                                        : 32;
  const auto next = [&] {
    leaves of = from_slots();
    engine::arrange_groups(of, request_, tree_, random_);
    return within_limits(of);
  };
  return engine::best_descent(request_, tree_, limits_, starts, next, {}).leaf_of;
}

leaves numatch_run::fresh() {
  if (!is_plain() && request_.budget != mapping_budget::online &&
      request_.sharing.size() <= few_threads) {
    // Tight limits can lie between a mapping and the best one: few threads are simply enumerated.
    const std::optional<thread_mapping> exact = map_exactly(request_, cheap_enumeration);
    if (exact) return leaves_of(*exact, tree_);
  }
  leaves found = is_plain()
                     ? from_slots()
                     : with_all_constraints(follows_tree_ ? from_slots() : from_arrangements(),
                                            annealing_of(request_.budget));
  if (request_.budget != mapping_budget::best) return found;
  // Random choices can make more work do worse: never worse than the smaller budget.
  mapping_request smaller = request_;
  smaller.budget = mapping_budget::standard;
  smaller.current = nullptr;
  for (leaves other : {numatch_run(smaller).fresh(), from_matching()}) {
    if (!other.empty() && cost_of(other) < cost_of(found)) found = std::move(other);
  }
  return found;
}

/// Goes down from the mapping of greatest matchings, which knows what fits together from the bottom
/// up; nothing where finding them takes too long.
leaves numatch_run::from_matching() {
  std::uint64_t pairs = 0;
  for (const double cell : request_.sharing.cells()) pairs += cell > 0 ? 1 : 0;
  if (pairs * request_.sharing.size() > most_matching) return {};
  mapping_request fresh = request_;
  fresh.current = nullptr;
  fresh.move_cost = 0;
  const result<thread_mapping> matched = find_algorithm("matching").value()->map(fresh);
  return matched ? numatch_run(fresh).descend_from(leaves_of(*matched, tree_)) : leaves();
}

/// Goes down from `start` where every thread that is not where it runs now costs the price of a
/// move.
leaves numatch_run::descend_from(const leaves& start) {
  slot_problem& problem = slots();
  if (!is_plain()) return with_all_constraints(start, 0);
  std::vector<std::uint32_t> next_slot(tree_.size(), 0);
  for (std::uint32_t slot = static_cast<std::uint32_t>(problem.places.size()); slot-- > 0;) {
    next_slot[problem.places.leaf_of(slot)] = slot;
  }
  std::vector<std::uint32_t> vertex_at(start.size());
  for (std::uint32_t t = 0; t < start.size(); ++t) vertex_at[next_slot[start[t]]++] = t;
  const std::int32_t price = engine::whole_price(request_.move_cost, problem.graph, problem.places);
  return problem.leaves_of(problem.large
                               ? problem.large->refine(problem.graph, vertex_at, current_, price)
                               : problem.search->refine(problem.graph, vertex_at, current_, price),
                           start.size());
}

double numatch_run::cost_of(const leaves& of) const {
  return mapping_cost(request_.sharing, pus_of(of, tree_), request_.distances);
}

/// What a mapping and the way to it cost.
double numatch_run::objective(const leaves& of) const {
  std::size_t moved = 0;
  for (std::size_t t = 0; t < of.size(); ++t) moved += of[t] != current_[t] ? 1 : 0;
  return cost_of(of) + request_.move_cost * static_cast<double>(moved);
}

/// Whole groups change places where distances do not follow the tree: moves that no swap of two
/// threads leads to.
leaves numatch_run::current_in_new_order() {
  leaves of = current_;
  engine::arrange_groups(of, request_, tree_, random_);
  return of;
}

/// The best of staying, improving on the current mapping, and a fresh one turned so that as few
/// threads as possible move. On a tie the earlier of these.
leaves numatch_run::close_to_current() {
  current_ = leaves_of(*request_.current, tree_);
  std::vector<leaves> candidates;
  if (keeps_limits(current_, request_, tree_, limits_)) {
    candidates.push_back(current_);
    candidates.push_back(descend_from(current_));
    if (!follows_tree_) candidates.push_back(descend_from(current_in_new_order()));
  }
  if (candidates.empty() || request_.budget != mapping_budget::online) {
    leaves of = fresh();
    if (follows_tree_) align_to(of, current_, tree_, request_.pinned);
    candidates.push_back(descend_from(of));
  }
  std::vector<double> costs;
  for (const leaves& of : candidates) costs.push_back(objective(of));
  const auto least = std::min_element(costs.begin(), costs.end());
  return std::move(candidates[static_cast<std::size_t>(least - costs.begin())]);
}

thread_mapping numatch_run::answer() {
  return pus_of(request_.current == nullptr ? fresh() : close_to_current(), tree_);
}

result<thread_mapping> map_by_numatch(const mapping_request& request) {
  return numatch_run(request).answer();
}

}  // namespace

extern const mapping_algorithm numatch_algorithm{
    "numatch",
    "several starts from the top of the machine down, refined by swaps and by regrouping; the "
    "default",
    map_by_numatch,
    {.seed = true, .budget = true}};

}  // namespace numatch
