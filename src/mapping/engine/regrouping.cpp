// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/regrouping.hpp"

#include <algorithm>

namespace numatch::engine {

namespace {
/// In larger problems a round that only keeps what is no worse is so cheap that more of them do
/// more.
constexpr std::size_t most_followed = 256;
/// So many slots at most: more than two groups are taken at once, so many of so many vertices.
constexpr std::size_t small_tree = 48;
constexpr std::size_t most_siblings = 5;
constexpr std::size_t most_together = 20;
}  // namespace

regrouping::regrouping(const slot_tree& tree) : tree_(tree) {
  before_.resize(tree.size());
  after_.resize(tree.size());
  pull_.reserve(tree.size());
  moved_.reserve(4 * tree.size());
  siblings_.reserve(most_siblings);
}

std::size_t regrouping::draw_level(std::size_t first_level, random_source& random) const {
  const std::size_t levels = tree_.levels().size() - first_level;
  return first_level + random.below(static_cast<std::uint32_t>(levels));
}

/// Three or more groups with one parent, one of them that of a random slot.
bool regrouping::choose_siblings(std::size_t level, random_source& random) {
  level_ = level;
  const slot_tree::level& here = tree_.levels()[level];
  const std::uint32_t group = here.group_of[random.below(static_cast<std::uint32_t>(tree_.size()))];
  const auto [begin, end] =
      std::equal_range(here.parent.begin(), here.parent.end(), here.parent[group]);
  const std::uint32_t first = static_cast<std::uint32_t>(begin - here.parent.begin());
  const std::uint32_t count = static_cast<std::uint32_t>(end - begin);
  const std::size_t wanted = std::min<std::size_t>(
      {most_siblings, count, most_together / (here.first[group + 1] - here.first[group])});
  if (wanted < 3) return false;
  siblings_.assign(1, group);
  while (siblings_.size() < wanted) {
    const std::uint32_t other = first + random.below(count);
    if (std::find(siblings_.begin(), siblings_.end(), other) == siblings_.end()) {
      siblings_.push_back(other);
    }
  }
  return true;
}

/// Two groups of a level: that of a random vertex, and the one of three that shares most with it.
bool regrouping::choose_pair(const swap_table& table, std::size_t level, random_source& random) {
  level_ = level;
  const slot_tree::level& here = tree_.levels()[level_];
  const std::uint32_t groups = static_cast<std::uint32_t>(here.groups());
  const std::uint32_t slot = random.below(static_cast<std::uint32_t>(tree_.size()));
  const std::uint32_t vertex = table.vertex_at()[slot];
  a_ = here.group_of[slot];
  b_ = a_;
  for (int tries = 0; tries < 3; ++tries) {
    const std::uint32_t other = random.below(groups);
    if (other == a_) continue;
    if (b_ == a_ || table.shared(level_, other, vertex) > table.shared(level_, b_, vertex)) {
      b_ = other;
    }
  }
  if (a_ == b_) return false;
  if (a_ > b_) std::swap(a_, b_);
  const std::size_t count =
      here.first[a_ + 1] - here.first[a_] + here.first[b_ + 1] - here.first[b_];
  return count > 2;
}

std::size_t regrouping::widest_group(std::size_t level) const {
  const std::vector<std::uint32_t>& first = tree_.levels()[level].first;
  std::size_t widest = 0;
  for (std::size_t g = 0; g + 1 < first.size(); ++g) {
    widest = std::max<std::size_t>(widest, first[g + 1] - first[g]);
  }
  return widest;
}

void regrouping::weigh(const swap_table& table) {
  const std::span<const slot_tree::level> levels = tree_.levels();
  const slot_tree::level& here = levels[level_];
  pull_.clear();
  for (const std::uint32_t group : {a_, b_}) {
    for (std::uint32_t slot = here.first[group]; slot < here.first[group + 1]; ++slot) {
      const std::uint32_t v = table.vertex_at()[slot];
      const std::int32_t with_a = table.shared(level_, a_, v);
      const std::int32_t with_b = table.shared(level_, b_, v);
      // On the level itself the two groups are all there is to share with.
      std::int64_t sum = 0;
      std::int64_t apart = here.weight;
      std::uint32_t above_a = here.parent[a_];
      std::uint32_t above_b = here.parent[b_];
      for (std::size_t l = level_; l-- > 0 && above_a != above_b;) {
        const std::int32_t outside =
            (table.shared(l, above_a, v) - with_a) - (table.shared(l, above_b, v) - with_b);
        sum += std::int64_t{levels[l].weight} * outside;
        apart += levels[l].weight;
        above_a = levels[l].parent[above_a];
        above_b = levels[l].parent[above_b];
      }
      pull_.push_back(static_cast<std::int32_t>(sum / apart));
    }
  }
}

void regrouping::improve(swap_table& table, tree_cutter& cutter, const thread_graph& graph,
                         std::uint64_t rounds, std::size_t most, const cut_effort& effort,
                         random_source& random) {
  if (tree_.levels().empty()) return;
  std::size_t first_level = 0;
  while (first_level < tree_.levels().size() && 2 * widest_group(first_level) > most) ++first_level;
  if (first_level == tree_.levels().size() || rounds == 0) return;
  const std::int64_t share = static_cast<std::int64_t>(tree_.size());
  const bool followed = tree_.size() <= most_followed;
  for (std::uint64_t r = 0; r < rounds; ++r) {
    const std::size_t level = draw_level(first_level, random);
    const bool several = tree_.size() <= small_tree && choose_siblings(level, random);
    if (!several && !choose_pair(table, level, random)) continue;
    std::copy(table.vertex_at().begin(), table.vertex_at().end(), before_.begin());
    std::copy(before_.begin(), before_.end(), after_.begin());
    const std::int64_t cost = table.cost();
    if (several) {
      cutter.recut(graph, level_, siblings_, {1, 0}, random, after_);
    } else {
      weigh(table);
      cutter.recut(graph, level_, a_, b_, pull_, effort, random, after_);
    }
    moved_.clear();
    for (std::size_t slot = 0; slot < after_.size(); ++slot) {
      if (before_[slot] != after_[slot]) moved_.push_back(after_[slot]);
    }
    table.rearrange(after_);
    // A little more than before is followed down too, where that is cheap.
    const std::int64_t more = followed ? cost / share : -1;
    if (table.cost() <= cost + more) table.descend_from(moved_);
    if (table.cost() > cost) table.rearrange(before_);
  }
  if (followed) table.descend();
}

}  // namespace numatch::engine
