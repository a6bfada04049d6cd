// SPDX-License-Identifier: Apache-2.0
#include "mapping/alignment.hpp"

#include <algorithm>

#include "mapping/assignment.hpp"
#include "mapping/tree_shapes.hpp"

namespace numatch {

namespace {

/// Threads that stay when what the mapping has in group `from` comes to group `to`.
struct overlap {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t stay = 0;
};

class aligner {
 public:
  aligner(const pu_tree& tree, std::span<const std::optional<pu_id>> pinned)
      : tree_(tree), overlaps_(tree.levels()), shape_(shapes_of(tree)), holds_pins_(tree.levels()) {
    for (std::size_t level = 0; level < tree.levels(); ++level) {
      holds_pins_[level].resize(tree.groups(level).size());
      for (const std::optional<pu_id>& pin : pinned) {
        if (pin) holds_pins_[level][tree.group_of(level, tree.leaf_of(*pin))] = 1;
      }
    }
  }

  void align(std::vector<std::uint32_t>& leaf_of,
             const std::vector<std::uint32_t>& current_leaf_of) {
    count_on_leaves(leaf_of, current_leaf_of);
    for (std::size_t level = tree_.levels() - 1; level > 1; --level) sum_up(level);
    target_.resize(tree_.size());
    place(0, 0, 0);
    for (std::uint32_t& leaf : leaf_of) leaf = target_[leaf];
  }

 private:
  bool may_go(std::size_t level, std::uint32_t from, std::uint32_t to) const {
    if (from == to) return true;
    return shape_[level][from] == shape_[level][to] && holds_pins_[level][from] == 0 &&
           holds_pins_[level][to] == 0;
  }
  std::uint32_t first_child(std::size_t level, std::uint32_t group) const {
    return tree_.group_of(level + 1, tree_.groups(level)[group].first);
  }
  std::uint32_t children(std::size_t level, std::uint32_t group) const {
    return tree_.group_of(level + 1, tree_.groups(level)[group].end - 1) + 1 -
           first_child(level, group);
  }
  std::uint32_t parent(std::size_t level, std::uint32_t group) const {
    return tree_.groups(level)[group].parent;
  }

  void count_on_leaves(const std::vector<std::uint32_t>& leaf_of,
                       const std::vector<std::uint32_t>& current_leaf_of);
  void sum_up(std::size_t level);
  void place(std::size_t level, std::uint32_t from, std::uint32_t to);
  std::span<const std::uint32_t> assign_children(std::size_t level, std::uint32_t from,
                                                 std::uint32_t to,
                                                 std::span<const overlap> between);
  /// By parents, so that the overlaps of the children of two groups lie together.
  void sort_by_parents(std::size_t level);

  const pu_tree& tree_;
  std::vector<std::vector<overlap>> overlaps_;
  std::vector<std::vector<std::uint32_t>> shape_;
  std::vector<std::vector<std::uint8_t>> holds_pins_;
  std::vector<std::uint32_t> target_;
  std::vector<std::int64_t> values_;
  assignment_solver solver_;
};

void aligner::sort_by_parents(std::size_t level) {
  std::sort(overlaps_[level].begin(), overlaps_[level].end(),
            [&](const overlap& a, const overlap& b) {
              const std::uint32_t from_a = parent(level, a.from);
              const std::uint32_t from_b = parent(level, b.from);
              if (from_a != from_b) return from_a < from_b;
              const std::uint32_t to_a = parent(level, a.to);
              const std::uint32_t to_b = parent(level, b.to);
              if (to_a != to_b) return to_a < to_b;
              return a.from != b.from ? a.from < b.from : a.to < b.to;
            });
}

void aligner::count_on_leaves(const std::vector<std::uint32_t>& leaf_of,
                              const std::vector<std::uint32_t>& current_leaf_of) {
  const std::size_t level = tree_.levels() - 1;
  std::vector<overlap>& pairs = overlaps_[level];
  for (std::size_t t = 0; t < leaf_of.size(); ++t) {
    if (current_leaf_of[t] == pu_tree::no_leaf) continue;
    if (may_go(level, leaf_of[t], current_leaf_of[t])) {
      pairs.push_back({leaf_of[t], current_leaf_of[t], 1});
    }
  }
  sort_by_parents(level);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (kept > 0 && pairs[kept - 1].from == pairs[i].from && pairs[kept - 1].to == pairs[i].to) {
      pairs[kept - 1].stay += 1;
    } else {
      pairs[kept++] = pairs[i];
    }
  }
  pairs.resize(kept);
}

/// From the overlaps of `level` to those of the level above.
void aligner::sum_up(std::size_t level) {
  const std::vector<overlap>& pairs = overlaps_[level];
  for (std::size_t begin = 0; begin < pairs.size();) {
    const std::uint32_t from = parent(level, pairs[begin].from);
    const std::uint32_t to = parent(level, pairs[begin].to);
    std::size_t end = begin;
    while (end < pairs.size() && parent(level, pairs[end].from) == from &&
           parent(level, pairs[end].to) == to) {
      ++end;
    }
    if (may_go(level - 1, from, to)) {
      const std::span<const overlap> between = std::span(pairs).subspan(begin, end - begin);
      const std::uint32_t first_from = first_child(level - 1, from);
      const std::uint32_t first_to = first_child(level - 1, to);
      const std::span<const std::uint32_t> goes_to = assign_children(level - 1, from, to, between);
      overlap sum{from, to, 0};
      for (const overlap& o : between) {
        if (goes_to[o.from - first_from] == o.to - first_to) sum.stay += o.stay;
      }
      overlaps_[level - 1].push_back(sum);
    }
    begin = end;
  }
  sort_by_parents(level - 1);
}

/// Which child of `to` gets what each child of `from` has: both numbered from 0.
std::span<const std::uint32_t> aligner::assign_children(std::size_t level, std::uint32_t from,
                                                        std::uint32_t to,
                                                        std::span<const overlap> between) {
  const std::uint32_t k = children(level, from);
  const std::uint32_t first_from = first_child(level, from);
  const std::uint32_t first_to = first_child(level, to);
  // Worse than all that threads together can make good.
  constexpr std::int64_t never = -(std::int64_t{1} << 44U);
  values_.assign(std::size_t{k} * k, 0);
  for (std::uint32_t row = 0; row < k; ++row) {
    for (std::uint32_t column = 0; column < k; ++column) {
      if (!may_go(level + 1, first_from + row, first_to + column)) {
        values_[row * k + column] = never;
      }
    }
    // Where threads do not decide, parts stay: less than a thread for all children together.
    values_[row * k + row] += 1;
  }
  const std::int64_t thread = k + 1;
  for (const overlap& o : between) {
    values_[(o.from - first_from) * k + (o.to - first_to)] += o.stay * thread;
  }
  return solver_.solve(values_, k);
}

void aligner::place(std::size_t level, std::uint32_t from, std::uint32_t to) {
  if (level + 1 == tree_.levels()) {
    target_[from] = to;
    return;
  }
  const std::vector<overlap>& pairs = overlaps_[level + 1];
  const auto parents = [&](const overlap& o) {
    return std::pair(parent(level + 1, o.from), parent(level + 1, o.to));
  };
  const auto begin =
      std::lower_bound(pairs.begin(), pairs.end(), std::pair(from, to),
                       [&](const overlap& o, const auto& wanted) { return parents(o) < wanted; });
  auto end = begin;
  while (end != pairs.end() && parents(*end) == std::pair(from, to)) ++end;
  const std::span<const std::uint32_t> solved =
      assign_children(level, from, to, std::span(begin, end));
  // The solver's answer holds only until it is asked again, below.
  const std::vector<std::uint32_t> goes_to(solved.begin(), solved.end());
  for (std::uint32_t child = 0; child < goes_to.size(); ++child) {
    place(level + 1, first_child(level, from) + child, first_child(level, to) + goes_to[child]);
  }
}

}  // namespace

void align_to(std::vector<std::uint32_t>& leaf_of,
              const std::vector<std::uint32_t>& current_leaf_of, const pu_tree& tree,
              std::span<const std::optional<pu_id>> pinned) {
  aligner(tree, pinned).align(leaf_of, current_leaf_of);
}

}  // namespace numatch
