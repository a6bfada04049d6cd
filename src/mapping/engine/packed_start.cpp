// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/packed_start.hpp"

#include <algorithm>

namespace numatch::engine {

namespace {

/// Threads per group.
constexpr std::size_t room_for_circles = 16;

bool are_equal(const slot_tree::level& level) {
  for (std::size_t g = 1; g < level.groups(); ++g) {
    if (level.first[g + 1] - level.first[g] != level.first[1]) return false;
  }
  return true;
}

}  // namespace

std::size_t low_level(const slot_tree& tree) {
  std::size_t l = tree.levels().size();
  while (l > 1 && tree.size() / tree.levels()[l - 1].groups() < room_for_circles) --l;
  return l == 0 ? 0 : l - 1;
}

packed_start::packed_start(const slot_tree& tree, std::size_t first_level) : tree_(tree) {
  for (std::size_t l = 0; l < tree.levels().size(); ++l) {
    const bool whole = l == 0 || l < first_level || !are_equal(tree.levels()[l]);
    upper_.push_back(whole ? nullptr : std::make_unique<upper_part>(tree.above(l)));
    if (!whole) upper_.back()->group_at.resize(upper_.back()->tree.size());
  }
  root_.resize(tree.size());
  size_.resize(tree.size());
  strength_.resize(tree.size());
  first_.resize(tree.size());
  members_.resize(tree.size());
  group_of_.resize(tree.size());
  packed_.resize(tree.size());
  free_.reserve(tree.size());
  fragments_.reserve(tree.size());
}

void packed_start::reserve() {
  for (const std::unique_ptr<upper_part>& upper : upper_) {
    if (!upper) continue;
    const std::size_t groups = upper->tree.size();
    upper->graph.reserve(groups, groups * (groups - 1) / 2);
    upper->cutter.reserve();
  }
}

std::uint32_t packed_start::root_of(std::uint32_t v) {
  while (root_[v] != v) {
    root_[v] = root_[root_[v]];
    v = root_[v];
  }
  return v;
}

void packed_start::grow_fragments(const path_order& line, std::uint32_t most) {
  for (std::uint32_t v = 0; v < root_.size(); ++v) root_[v] = v;
  std::fill(size_.begin(), size_.end(), 1);
  for (const path_order::link& l : line.links()) {
    const std::uint32_t a = root_of(l.a());
    const std::uint32_t b = root_of(l.b());
    if (a == b || size_[a] + size_[b] > most) continue;
    root_[std::max(a, b)] = std::min(a, b);
    size_[std::min(a, b)] += size_[std::max(a, b)];
  }
}

/// The next `size` members of a fragment go to a group.
void packed_start::put(std::uint32_t fragment, std::uint32_t group, std::uint32_t size) {
  for (std::uint32_t i = 0; i < size; ++i) group_of_[members_[first_[fragment] + i]] = group;
  first_[fragment] += size;
  size_[fragment] -= size;
  free_[group] -= size;
}

/// What a member of a fragment shares in it on average.
void packed_start::weigh_fragments(const thread_graph& graph) {
  std::fill(strength_.begin(), strength_.end(), 0);
  for (std::uint32_t v = 0; v < root_.size(); ++v) {
    const std::uint32_t root = root_of(v);
    if (size_[root] == 1) continue;
    std::int64_t inside = 0;
    for (const thread_graph::edge& e : graph.edges_of(v)) {
      inside += root_of(e.to) == root ? e.weight : 0;
    }
    strength_[root] += inside;
  }
  for (std::uint32_t v = 0; v < root_.size(); ++v) strength_[v] /= size_[v];
}

void packed_start::pack(std::span<const std::uint32_t> line_at, std::uint32_t groups,
                        std::uint32_t size) {
  // Members of a fragment in the order of the line: what is split is split between neighbours.
  fragments_.clear();
  for (std::uint32_t v = 0; v < root_.size(); ++v) {
    if (root_of(v) == v) fragments_.push_back(v);
  }
  std::uint32_t place = 0;
  for (const std::uint32_t f : fragments_) {
    first_[f] = place;
    place += size_[f];
  }
  for (const std::uint32_t v : line_at) members_[first_[root_of(v)]++] = v;
  for (const std::uint32_t f : fragments_) first_[f] -= size_[f];

  // Not a stable sort, which would allocate.
  std::sort(fragments_.begin(), fragments_.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (strength_[a] != strength_[b]) return strength_[a] > strength_[b];
    return size_[a] != size_[b] ? size_[a] > size_[b] : a < b;
  });
  free_.assign(groups, size);
  for (const std::uint32_t f : fragments_) {
    while (size_[f] > 0) {
      // The fullest group that it fits into; where there is none, the emptiest takes a part.
      std::uint32_t best = 0;
      for (std::uint32_t g = 1; g < groups; ++g) {
        const bool fits = free_[g] >= size_[f];
        const bool best_fits = free_[best] >= size_[f];
        if (fits != best_fits ? fits : fits ? free_[g] < free_[best] : free_[g] > free_[best]) {
          best = g;
        }
      }
      put(f, best, std::min(size_[f], free_[best]));
    }
  }
}

bool packed_start::place(const thread_graph& graph, std::size_t level, const path_order& line,
                         std::span<const std::uint32_t> line_at, tree_cutter& cutter,
                         random_source& random, std::span<std::uint32_t> vertex_at) {
  const slot_tree::level& here = tree_.levels()[level];
  if (!are_equal(here)) return false;
  const std::uint32_t size = here.first[1];
  const std::uint32_t groups = static_cast<std::uint32_t>(here.groups());
  grow_fragments(line, size);
  weigh_fragments(graph);
  pack(line_at, groups, size);
  for (std::uint32_t g = 0; g < groups; ++g) free_[g] = g * size;
  for (const std::uint32_t v : line_at) packed_[free_[group_of_[v]]++] = v;
  if (upper_[level]) {
    upper_part& upper = *upper_[level];
    upper.graph.merge(graph, packed_, group_of_);
    upper.graph.make_rows();
    upper.cutter.place(upper.graph, {1, 1}, random, upper.group_at);
    for (std::uint32_t slot = 0; slot < groups; ++slot) {
      std::copy_n(packed_.begin() + upper.group_at[slot] * size, size,
                  vertex_at.begin() + slot * size);
    }
  } else {
    std::copy(packed_.begin(), packed_.end(), vertex_at.begin());
  }
  for (std::uint32_t g = 0; g < groups; ++g) {
    cutter.resplit(graph, level, g, {1, 1}, random, vertex_at);
  }
  return true;
}

}  // namespace numatch::engine
