// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/flexible_search.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::engine {

namespace {
constexpr double tolerance = 1e-9;  ///< of a limit, for sums of weights
}

flexible_search::flexible_search(const mapping_request& request, const pu_tree& tree,
                                 const load_limits& limits)
    : request_(request),
      tree_(tree),
      limits_(limits),
      threads_(request.sharing.size()),
      leaves_(tree.size()) {
  sharing_.resize(threads_ * threads_);
  for (std::size_t a = 0; a < threads_; ++a) {
    for (std::size_t b = a + 1; b < threads_; ++b) {
      sharing_[a * threads_ + b] = sharing_[b * threads_ + a] = request.sharing.between(a, b);
    }
  }
  const std::size_t arcs =
      sharing_.size() - static_cast<std::size_t>(std::count(sharing_.begin(), sharing_.end(), 0.0));
  work_of_change_ = threads_ + arcs * leaves_ / std::max<std::size_t>(threads_, 1);
  distance_.resize(leaves_ * leaves_);
  for (std::size_t a = 0; a < leaves_; ++a) {
    for (std::size_t b = 0; b < leaves_; ++b) {
      distance_[a * leaves_ + b] = request.distances.at(tree.pu(a), tree.pu(b));
    }
  }
  cost_.resize(threads_ * leaves_);
  for (std::size_t level = 0; level < tree.levels(); ++level) {
    load_.emplace_back(tree.groups(level).size());
  }
  if (request.current == nullptr) return;
  move_cost_ = request.move_cost;
  for (const pu_id pu : request.current->pu_of) home_.push_back(tree.leaf_of(pu));
}

void flexible_search::start(std::span<const std::uint32_t> leaf_of) {
  leaf_of_.assign(leaf_of.begin(), leaf_of.end());
  std::fill(cost_.begin(), cost_.end(), 0);
  for (std::vector<double>& level : load_) std::fill(level.begin(), level.end(), 0);
  double twice = 0;
  objective_ = 0;
  for (std::uint32_t t = 0; t < threads_; ++t) {
    double* const row = cost_.data() + t * leaves_;
    for (std::size_t other = 0; other < threads_; ++other) {
      const double shared = between(t, other);
      if (shared == 0) continue;
      const double* const from = distance_.data() + leaf_of_[other] * leaves_;
      for (std::size_t leaf = 0; leaf < leaves_; ++leaf) row[leaf] += shared * from[leaf];
      work_ += leaves_;
    }
    twice += row[leaf_of_[t]];
    if (!home_.empty() && home_[t] != leaf_of_[t]) objective_ += move_cost_;
    for (std::size_t level = 0; level < load_.size(); ++level) {
      load_[level][tree_.group_of(level, leaf_of_[t])] += weight(t);
    }
  }
  objective_ += twice / 2;
  // Sums of rounded products drift by less than this, so a descent ends.
  smallest_gain_ = 1e-11 * (objective_ + move_cost_);
}

double flexible_search::mean_cost() const {
  return threads_ == 0 ? 0 : objective_ / static_cast<double>(threads_);
}

double flexible_search::move_gain(std::uint32_t t, std::uint32_t leaf) const {
  const std::uint32_t here = leaf_of_[t];
  return place_cost(t, here) - place_cost(t, leaf) - stay_bonus(t, here) + stay_bonus(t, leaf);
}

double flexible_search::swap_gain(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t at_a = leaf_of_[a];
  const std::uint32_t at_b = leaf_of_[b];
  // Both gains count the other where it no longer is: their own distance stays what it was.
  const double both =
      between(a, b) * (2 * distance(at_a, at_b) - distance(at_a, at_a) - distance(at_b, at_b));
  return move_gain(a, at_b) + move_gain(b, at_a) - both;
}

/// Whether the groups of a leaf have room for more; those that also hold `leaves_from` keep their
/// load.
bool flexible_search::fits(std::uint32_t leaf, double more, std::uint32_t leaves_from) const {
  for (std::size_t level = tree_.levels(); level-- > 0;) {
    const std::uint32_t group = tree_.group_of(level, leaf);
    if (group == tree_.group_of(level, leaves_from)) return true;
    if (load_[level][group] + more > limits_.limit[level][group] * (1 + tolerance)) return false;
  }
  return true;
}

bool flexible_search::may_move(std::uint32_t t, std::uint32_t leaf) const {
  return leaf != leaf_of_[t] && fits(leaf, weight(t), leaf_of_[t]);
}

bool flexible_search::may_swap(std::uint32_t a, std::uint32_t b) const {
  if (leaf_of_[a] == leaf_of_[b] || is_pinned(b)) return false;
  const double more = weight(a) - weight(b);
  if (more == 0) return true;
  return more > 0 ? fits(leaf_of_[b], more, leaf_of_[a]) : fits(leaf_of_[a], -more, leaf_of_[b]);
}

void flexible_search::put(std::uint32_t t, std::uint32_t leaf) {
  const std::uint32_t from = leaf_of_[t];
  const double* const old_row = distance_.data() + from * leaves_;
  const double* const new_row = distance_.data() + leaf * leaves_;
  for (std::size_t other = 0; other < threads_; ++other) {
    const double shared = between(t, other);
    if (shared == 0) continue;
    double* const row = cost_.data() + other * leaves_;
    for (std::size_t l = 0; l < leaves_; ++l) row[l] += shared * (new_row[l] - old_row[l]);
    work_ += leaves_;
  }
  for (std::size_t level = 0; level < load_.size(); ++level) {
    load_[level][tree_.group_of(level, from)] -= weight(t);
    load_[level][tree_.group_of(level, leaf)] += weight(t);
  }
  leaf_of_[t] = leaf;
}

void flexible_search::apply(const change& c) {
  objective_ -= c.gain;
  if (c.partner == nobody) {
    put(c.thread, c.leaf);
    return;
  }
  const std::uint32_t here = leaf_of_[c.thread];
  const std::uint32_t there = leaf_of_[c.partner];
  put(c.thread, there);
  put(c.partner, here);
}

flexible_search::change flexible_search::best_for(std::uint32_t t) {
  work_ += threads_ + (limits_.uniform ? 0 : leaves_);
  change best{smallest_gain_, t, nobody, nobody};
  if (!limits_.uniform) {
    for (std::uint32_t leaf = 0; leaf < leaves_; ++leaf) {
      const double gain = move_gain(t, leaf);
      if (gain > best.gain && may_move(t, leaf)) best = {gain, t, nobody, leaf};
    }
  }
  for (std::uint32_t other = 0; other < threads_; ++other) {
    const double gain = swap_gain(t, other);
    if (gain > best.gain && may_swap(t, other)) best = {gain, t, other, nobody};
  }
  return best;
}

void flexible_search::descend(std::uint64_t most_work) {
  const std::uint64_t before = work_;
  std::size_t quiet = 0;
  const std::uint32_t threads = static_cast<std::uint32_t>(threads_);
  for (std::uint32_t t = 0; quiet < threads_ && work_ - before < most_work; t = (t + 1) % threads) {
    ++quiet;
    if (is_pinned(t)) continue;
    const change best = best_for(t);
    if (best.gain <= smallest_gain_) continue;
    apply(best);
    quiet = 0;
  }
}

void flexible_search::anneal(std::uint64_t proposals, double hot, double cold,
                             random_source& random) {
  constexpr std::uint64_t round = 128;
  const std::uint64_t rounds = proposals / round + 1;
  const double factor = std::pow(cold / hot, 1.0 / static_cast<double>(rounds));
  const std::uint32_t threads = static_cast<std::uint32_t>(threads_);
  const std::uint32_t leaves = static_cast<std::uint32_t>(leaves_);
  double temperature = hot;
  for (std::uint64_t r = 0; r < rounds; ++r, temperature *= factor) {
    for (std::uint64_t i = 0; i < round; ++i) {
      const std::uint32_t t = random.below(threads);
      if (is_pinned(t)) continue;
      change c{0, t, nobody, nobody};
      if (!limits_.uniform && random.below(2) == 0) {
        c.leaf = random.below(leaves);
        if (!may_move(t, c.leaf)) continue;
        c.gain = move_gain(t, c.leaf);
      } else {
        c.partner = random.below(threads);
        if (!may_swap(t, c.partner)) continue;
        c.gain = swap_gain(t, c.partner);
      }
      if (c.gain < 0) {
        const double chance = static_cast<double>(random.next() >> 11U) * 0x1p-53;
        if (chance >= std::exp(c.gain / temperature)) continue;
      }
      apply(c);
    }
  }
}

}  // namespace numatch::engine
