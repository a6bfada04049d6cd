// SPDX-License-Identifier: Apache-2.0
#include "mapping/exact_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mapping/group_loads.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/level_costs.hpp"
#include "mapping/tree_shapes.hpp"

namespace numatch {

namespace {

/// Branch and bound. Threads are placed in falling order of what they share; of empty parts of the
/// machine that are alike only the first is tried.
class exact_search {
 public:
  exact_search(const mapping_request& request, std::uint64_t most_operations)
      : request_(request),
        most_operations_(most_operations),
        tree_(request.machine, request.allowed),
        limits_(limits_of(request, tree_)),
        shapes_(shapes_of(tree_)),
        parts_are_alike_(costs_by_level(request.machine, request.distances).exact),
        loads_(tree_),
        threads_(request.sharing.size()),
        leaves_(tree_.size()),
        leaf_of_(threads_, pu_tree::no_leaf),
        pull_(threads_ * leaves_),
        best_(limits_.witness),
        least_(cost_of(best_)) {
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (!request.pinned.empty() && request.pinned[t]) {
        put(t, tree_.leaf_of(*request.pinned[t]));
      } else {
        order_.push_back(t);
      }
    }
    std::vector<double> total(threads_);
    for (std::size_t a = 0; a < threads_; ++a) {
      for (std::size_t b = 0; b < threads_; ++b) total[a] += a == b ? 0 : shared(a, b);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return total[a] > total[b]; });
    bound_the_rest();
  }

  /// Nothing where it would take too many operations.
  std::optional<thread_mapping> run() {
    search(0);
    if (operations_ > most_operations_) return std::nullopt;
    return pus_of(best_, tree_);
  }

 private:
  double shared(std::size_t a, std::size_t b) const { return request_.sharing.between(a, b); }
  double distance(std::size_t a, std::size_t b) const {
    return request_.distances.at(tree_.pu(a), tree_.pu(b));
  }
  double weight(std::size_t thread) const {
    return request_.weights.empty() ? 1 : request_.weights[thread];
  }
  double cost_of(const std::vector<std::uint32_t>& leaf_of) const {
    return mapping_cost(request_.sharing, pus_of(leaf_of, tree_), request_.distances);
  }

  void put(std::uint32_t thread, std::uint32_t leaf);
  void take_back(std::uint32_t thread);
  void add_pull(std::uint32_t thread, double sign);
  void bound_the_rest();
  std::vector<double> nearest_distances() const;
  bool is_worth_trying(std::uint32_t leaf) const;
  double bound(std::size_t depth) const;
  void search(std::size_t depth);

  const mapping_request& request_;
  const std::uint64_t most_operations_;
  const pu_tree tree_;
  const load_limits limits_;
  const std::vector<std::vector<std::uint32_t>> shapes_;
  const bool parts_are_alike_;
  group_loads loads_;
  const std::size_t threads_;
  const std::size_t leaves_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> leaf_of_;
  std::vector<double> pull_;  ///< [thread][leaf]: what it costs there with those that are placed
  std::vector<double> rest_;  ///< [depth]: least cost among the threads from there on
  double cost_ = 0;           ///< among those that are placed
  std::vector<std::uint32_t> best_;
  double least_;
  std::uint64_t operations_ = 0;
};

void exact_search::add_pull(std::uint32_t thread, double sign) {
  for (std::size_t other = 0; other < threads_; ++other) {
    const double amount = sign * shared(thread, other);
    if (other == thread || amount == 0) continue;
    for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
      pull_[other * leaves_ + leaf] += amount * distance(leaf_of_[thread], leaf);
    }
    operations_ += leaves_;
  }
}

void exact_search::put(std::uint32_t thread, std::uint32_t leaf) {
  cost_ += pull_[thread * leaves_ + leaf];
  leaf_of_[thread] = leaf;
  loads_.add(leaf, weight(thread));
  add_pull(thread, 1);
}

void exact_search::take_back(std::uint32_t thread) {
  const std::uint32_t leaf = leaf_of_[thread];
  add_pull(thread, -1);
  loads_.add(leaf, -weight(thread));
  leaf_of_[thread] = pu_tree::no_leaf;
  cost_ -= pull_[thread * leaves_ + leaf];
}

/// For the k-th nearest other thread, the least distance that it can have from any leaf.
std::vector<double> exact_search::nearest_distances() const {
  double lightest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t t : order_) lightest = std::min(lightest, weight(t));
  std::vector<double> nearest(threads_, std::numeric_limits<double>::infinity());
  for (std::size_t leaf = 0; leaf < leaves_; ++leaf) {
    std::vector<double> from_here;
    for (std::size_t other = 0; other < leaves_; ++other) {
      const double room = limits_.limit.back()[other] * (1 + limit_tolerance) / lightest;
      const std::size_t holds =
          static_cast<std::size_t>(std::min(std::floor(room), static_cast<double>(threads_)));
      // One place of this leaf is that of the thread itself.
      const std::size_t others = leaf == other && holds > 0 ? holds - 1 : holds;
      from_here.insert(from_here.end(), others, distance(leaf, other));
    }
    std::sort(from_here.begin(), from_here.end());
    for (std::size_t k = 0; k < std::min(nearest.size(), from_here.size()); ++k) {
      nearest[k] = std::min(nearest[k], from_here[k]);
    }
  }
  return nearest;
}

/// Among threads that have no place yet each puts its heaviest partner at the least distance, the
/// next one at the next, and so on: half of the sum, as each pair is seen from both sides.
void exact_search::bound_the_rest() {
  const std::vector<double> nearest = nearest_distances();
  rest_.assign(order_.size() + 1, 0);
  for (std::size_t depth = 0; depth < order_.size(); ++depth) {
    for (std::size_t i = depth; i < order_.size(); ++i) {
      std::vector<double> partners;
      for (std::size_t j = depth; j < order_.size(); ++j) {
        if (i != j) partners.push_back(shared(order_[i], order_[j]));
      }
      std::sort(partners.begin(), partners.end(), std::greater<>());
      for (std::size_t k = 0; k < partners.size() && partners[k] > 0; ++k) {
        rest_[depth] += partners[k] * nearest[k] / 2;
      }
    }
  }
}

/// Not where an earlier sibling of the same shape is as empty as this part of the machine.
bool exact_search::is_worth_trying(std::uint32_t leaf) const {
  if (!parts_are_alike_) return true;
  for (std::size_t level = 1; level < tree_.levels(); ++level) {
    const std::uint32_t group = tree_.group_of(level, leaf);
    if (loads_.at(level, group) > 0) continue;
    for (std::uint32_t sibling = group; sibling-- > 0;) {
      if (tree_.groups(level)[sibling].parent != tree_.groups(level)[group].parent) break;
      if (loads_.at(level, sibling) <= 0 && shapes_[level][sibling] == shapes_[level][group]) {
        return false;
      }
    }
  }
  return true;
}

/// What all mappings cost at least that place the threads before `depth` as they are placed now.
double exact_search::bound(std::size_t depth) const {
  double least = cost_ + rest_[depth];
  for (std::size_t i = depth; i < order_.size(); ++i) {
    const std::span<const double> pull = std::span(pull_).subspan(order_[i] * leaves_, leaves_);
    least += *std::min_element(pull.begin(), pull.end());
  }
  return least;
}

void exact_search::search(std::size_t depth) {
  if (depth == order_.size()) {
    // Summed anew: the sum on the way here has other roundings.
    const double cost = cost_of(leaf_of_);
    if (cost >= least_) return;
    least_ = cost;
    best_ = leaf_of_;
    return;
  }
  const std::uint32_t thread = order_[depth];
  std::vector<std::pair<double, std::uint32_t>> candidates;
  for (std::uint32_t leaf = 0; leaf < leaves_; ++leaf) {
    operations_ += tree_.levels();
    if (!loads_.has_room(limits_, leaf, weight(thread)) || !is_worth_trying(leaf)) continue;
    candidates.emplace_back(pull_[thread * leaves_ + leaf], leaf);
  }
  std::sort(candidates.begin(), candidates.end());
  constexpr double roundings = 1e-12;
  for (const auto& [pull, leaf] : candidates) {
    if (operations_ > most_operations_) return;
    put(thread, leaf);
    operations_ += (order_.size() - depth) * leaves_;
    if (bound(depth + 1) < least_ * (1 + roundings)) search(depth + 1);
    take_back(thread);
  }
}

}  // namespace

std::optional<thread_mapping> map_exactly(const mapping_request& request,
                                          std::uint64_t most_operations) {
  return exact_search(request, most_operations).run();
}

}  // namespace numatch
