// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/circle_start.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::engine {

namespace {

constexpr std::size_t most_circles = 14;
/// An edge holds a circle together when it is no lighter than this part of the heaviest edges of
/// both its ends, of the lighter one of these.
constexpr std::int32_t strong_part = 4;
constexpr cut_effort inside = {1, 1};

}  // namespace

circle_start::circle_start(const slot_tree& tree) : tree_(tree) {
  root_.resize(tree.size());
}

std::uint32_t circle_start::root_of(std::uint32_t v) {
  while (root_[v] != v) {
    root_[v] = root_[root_[v]];
    v = root_[v];
  }
  return v;
}

/// False: fewer than two, or too many.
bool circle_start::find_circles(const thread_graph& graph) {
  const std::uint32_t vertices = static_cast<std::uint32_t>(root_.size());
  std::vector<std::int32_t> heaviest(vertices, 0);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (const thread_graph::edge& e : graph.edges_of(v)) {
      heaviest[v] = std::max(heaviest[v], e.weight);
    }
  }
  std::iota(root_.begin(), root_.end(), 0U);
  std::size_t count = vertices;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (const thread_graph::edge& e : graph.edges_of(v)) {
      if (e.to < v || strong_part * e.weight < std::min(heaviest[v], heaviest[e.to])) continue;
      const std::uint32_t a = root_of(v);
      const std::uint32_t b = root_of(e.to);
      if (a == b) continue;
      root_[std::max(a, b)] = std::min(a, b);
      --count;
    }
  }
  if (count < 2 || count > most_circles) return false;

  circles_.clear();
  std::vector<std::uint32_t> circle_of(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const std::uint32_t root = root_of(v);  // the lowest of its circle
    if (root == v) {
      circle_of[v] = static_cast<std::uint32_t>(circles_.size());
      circles_.emplace_back().shared.resize(count);
    }
    circle_of[v] = circle_of[root];
    circles_[circle_of[v]].members.push_back(v);
  }
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (const thread_graph::edge& e : graph.edges_of(v)) {
      circles_[circle_of[v]].shared[circle_of[e.to]] += e.weight;
    }
  }
  return true;
}

/// All ways to put the circles from `next` on into two halves that they fill; keeps the one that
/// cuts least.
void circle_start::share_out(const list& circles, std::size_t next, halves& h) const {
  if (h.least >= 0 && h.cut >= h.least) return;
  if (next == circles.size()) {
    h.least = h.cut;
    h.best_in_a = h.in_a;
    return;
  }
  const circle& here = circles_[circles[next]];
  const std::size_t size = here.members.size();
  std::int64_t with_a = 0;
  std::int64_t with_b = 0;
  for (std::size_t i = 0; i < next; ++i) {
    ((h.in_a >> i & 1U) != 0 ? with_a : with_b) += here.shared[circles[i]];
  }
  if (size <= h.free_a) {
    h.free_a -= size;
    h.cut += with_b;
    h.in_a |= 1U << next;
    share_out(circles, next + 1, h);
    h.in_a &= ~(1U << next);
    h.cut -= with_b;
    h.free_a += size;
  }
  if (size <= h.free_b) {
    h.free_b -= size;
    h.cut += with_a;
    share_out(circles, next + 1, h);
    h.cut -= with_a;
    h.free_b += size;
  }
}

/// Gives the circles the slots of the groups [from, end) of the widest level. False: they do not
/// stay whole; unless these are all groups of the level, the cutter has placed them nevertheless.
bool circle_start::split(const list& circles, std::uint32_t from, std::uint32_t end) {
  const std::vector<std::uint32_t>& first = tree_.levels()[0].first;
  std::uint32_t slot = first[from];
  for (const std::uint32_t c : circles) {
    for (const std::uint32_t v : circles_[c].members) vertex_at_[slot++] = v;
  }
  if (end - from == 1) {
    cutter_->resplit(*graph_, 0, from, inside, *random_, vertex_at_);
    return true;
  }
  const std::uint32_t middle = from + (end - from) / 2;
  halves h;
  h.free_a = first[middle] - first[from];
  h.free_b = first[end] - first[middle];
  h.least = -1;
  share_out(circles, 0, h);
  if (h.least < 0) {
    if (end - from < tree_.levels()[0].groups()) {
      cutter_->replace(*graph_, from, end, inside, *random_, vertex_at_);
    }
    return false;
  }
  list in_a;
  list in_b;
  for (std::size_t i = 0; i < circles.size(); ++i) {
    ((h.best_in_a >> i & 1U) != 0 ? in_a : in_b).push_back(circles[i]);
  }
  split(in_a, from, middle);
  split(in_b, middle, end);
  return true;
}

bool circle_start::place(const thread_graph& graph, tree_cutter& cutter, random_source& random,
                         std::span<std::uint32_t> vertex_at) {
  if (tree_.levels().empty() || !find_circles(graph)) return false;
  graph_ = &graph;
  cutter_ = &cutter;
  random_ = &random;
  vertex_at_ = vertex_at;
  list all(circles_.size());
  std::iota(all.begin(), all.end(), 0U);
  std::stable_sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
    return circles_[a].members.size() > circles_[b].members.size();
  });
  return split(all, 0, static_cast<std::uint32_t>(tree_.levels()[0].groups()));
}

}  // namespace numatch::engine
