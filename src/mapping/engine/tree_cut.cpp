// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/tree_cut.hpp"

#include <algorithm>

namespace numatch::engine {

namespace {
/// In a large problem parts of this size take little of the time: they are tried twice as hard.
constexpr std::size_t small_part = 64;
}  // namespace

tree_cutter::tree_cutter(const slot_tree& tree, std::size_t most)
    : tree_(tree), cutter_(tree.size(), most) {
  part_.resize(most);
}

void tree_cutter::begin(const thread_graph& graph, const cut_effort& effort, random_source& random,
                        std::span<std::uint32_t> vertex_at) {
  graph_ = &graph;
  effort_ = effort;
  random_ = &random;
  vertex_at_ = vertex_at;
}

void tree_cutter::place(const thread_graph& graph, const cut_effort& effort, random_source& random,
                        std::span<std::uint32_t> vertex_at) {
  begin(graph, effort, random, vertex_at);
  for (std::uint32_t v = 0; v < vertex_at.size(); ++v) vertex_at[v] = v;
  if (tree_.levels().empty()) return;
  split_children(0, 0, static_cast<std::uint32_t>(tree_.levels()[0].groups()));
}

void tree_cutter::recut(const thread_graph& graph, std::size_t level, std::uint32_t a,
                        std::uint32_t b, std::span<const std::int32_t> pull,
                        const cut_effort& effort, random_source& random,
                        std::span<std::uint32_t> vertex_at) {
  begin(graph, effort, random, vertex_at);
  const slot_tree::level& here = tree_.levels()[level];
  const std::size_t size_a = here.first[a + 1] - here.first[a];
  const std::size_t size_b = here.first[b + 1] - here.first[b];
  const std::span<std::uint32_t> slots_a = vertex_at.subspan(here.first[a], size_a);
  const std::span<std::uint32_t> slots_b = vertex_at.subspan(here.first[b], size_b);
  const std::span<std::uint32_t> part = std::span(part_).first(size_a + size_b);
  std::copy(slots_b.begin(), slots_b.end(),
            std::copy(slots_a.begin(), slots_a.end(), part.begin()));
  cutter_.cut(graph, part, pull, size_a, effort, random);
  std::copy_n(part.begin(), size_a, slots_a.begin());
  std::copy_n(part.subspan(size_a).begin(), size_b, slots_b.begin());
  split_inside(level, a);
  split_inside(level, b);
}

void tree_cutter::recut(const thread_graph& graph, std::size_t level,
                        std::span<const std::uint32_t> siblings, const cut_effort& effort,
                        random_source& random, std::span<std::uint32_t> vertex_at) {
  begin(graph, effort, random, vertex_at);
  const std::vector<std::uint32_t>& first = tree_.levels()[level].first;
  std::size_t count = 0;
  for (const std::uint32_t g : siblings) {
    for (std::uint32_t slot = first[g]; slot < first[g + 1]; ++slot)
      part_[count++] = vertex_at[slot];
  }
  deal_out(level, siblings, std::span(part_).first(count));
  for (const std::uint32_t g : siblings) split_inside(level, g);
}

/// Halves the groups down to single ones, `part` with them, and fills their slots.
void tree_cutter::deal_out(std::size_t level, std::span<const std::uint32_t> groups,
                           std::span<std::uint32_t> part) {
  const std::vector<std::uint32_t>& first = tree_.levels()[level].first;
  if (groups.size() == 1) {
    std::copy(part.begin(), part.end(),
              vertex_at_.begin() + static_cast<std::ptrdiff_t>(first[groups[0]]));
    return;
  }
  const std::span<const std::uint32_t> half = groups.first(groups.size() / 2);
  std::size_t count = 0;
  for (const std::uint32_t g : half) count += first[g + 1] - first[g];
  cutter_.cut(*graph_, part, {}, count, effort_, *random_);
  deal_out(level, half, part.first(count));
  deal_out(level, groups.subspan(half.size()), part.subspan(count));
}

void tree_cutter::replace(const thread_graph& graph, std::uint32_t from, std::uint32_t end,
                          const cut_effort& effort, random_source& random,
                          std::span<std::uint32_t> vertex_at) {
  begin(graph, effort, random, vertex_at);
  split_children(0, from, end);
}

void tree_cutter::resplit(const thread_graph& graph, std::size_t level, std::uint32_t group,
                          const cut_effort& effort, random_source& random,
                          std::span<std::uint32_t> vertex_at) {
  begin(graph, effort, random, vertex_at);
  split_inside(level, group);
}

void tree_cutter::split_inside(std::size_t level, std::uint32_t group) {
  if (level + 1 == tree_.levels().size()) return;
  const std::vector<std::uint32_t>& parent = tree_.levels()[level + 1].parent;
  const auto [first, last] = std::equal_range(parent.begin(), parent.end(), group);
  split_children(level + 1, static_cast<std::uint32_t>(first - parent.begin()),
                 static_cast<std::uint32_t>(last - parent.begin()));
}

/// Halves the groups [from, end) of a level, which are siblings, down to single ones and goes on
/// inside them.
void tree_cutter::split_children(std::size_t level, std::uint32_t from, std::uint32_t end) {
  if (end - from == 1) {
    split_inside(level, from);
    return;
  }
  const slot_tree::level& here = tree_.levels()[level];
  const std::uint32_t middle = from + (end - from) / 2;
  const std::uint32_t first = here.first[from];
  const std::size_t count = here.first[end] - first;
  cut_effort effort = effort_;
  if (count <= small_part && vertex_at_.size() > 4 * small_part) {
    effort.flat *= 2;
    effort.shrunk *= 2;
  }
  cutter_.cut(*graph_, vertex_at_.subspan(first, count), {}, here.first[middle] - first, effort,
              *random_);
  split_children(level, from, middle);
  split_children(level, middle, end);
}

}  // namespace numatch::engine
