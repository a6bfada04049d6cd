// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/path_order.hpp"

#include <algorithm>
#include <array>

namespace numatch::engine {

namespace {
constexpr std::uint32_t nobody = ~0U;
}

path_order::path_order(std::size_t vertices) {
  links_.reserve(kept * vertices);
  next_.resize(2 * vertices);
  root_.resize(vertices);
}

/// The heaviest edges of every vertex, heaviest first.
void path_order::collect(const thread_graph& graph) {
  links_.clear();
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    std::array<thread_graph::edge, kept> best{};
    std::size_t found = 0;
    for (const thread_graph::edge& e : graph.edges_of(v)) {
      if (found == kept && e.weight <= best[kept - 1].weight) continue;
      std::size_t place = found < kept ? found++ : kept - 1;
      for (; place > 0 && best[place - 1].weight < e.weight; --place) best[place] = best[place - 1];
      best[place] = e;
    }
    for (const thread_graph::edge& e : std::span(best).first(found)) {
      links_.emplace_back(e.weight, std::min(v, e.to), std::max(v, e.to));
    }
  }
  std::sort(links_.begin(), links_.end());
}

/// The vertex that stands for the line of v.
std::uint32_t path_order::end_of(std::uint32_t v) {
  while (root_[v] != v) {
    root_[v] = root_[root_[v]];
    v = root_[v];
  }
  return v;
}

void path_order::line_up(const thread_graph& graph, std::span<std::uint32_t> vertex_at) {
  collect(graph);
  const std::uint32_t vertices = static_cast<std::uint32_t>(graph.size());
  std::fill(next_.begin(), next_.end(), nobody);
  for (std::uint32_t v = 0; v < vertices; ++v) root_[v] = v;
  for (const link& l : links_) {
    const std::uint32_t a = l.a();
    const std::uint32_t b = l.b();
    if (next_[2 * a + 1] != nobody || next_[2 * b + 1] != nobody) continue;
    const std::uint32_t end_a = end_of(a);
    const std::uint32_t end_b = end_of(b);
    if (end_a == end_b) continue;
    root_[end_a] = end_b;
    next_[2 * a + (next_[2 * a] == nobody ? 0 : 1)] = b;
    next_[2 * b + (next_[2 * b] == nobody ? 0 : 1)] = a;
  }
  // Every line from its lower end; root_ now marks what has been written.
  std::size_t place = 0;
  std::fill(root_.begin(), root_.end(), 0);
  for (std::uint32_t start = 0; start < vertices; ++start) {
    if (root_[start] != 0 || next_[2 * start + 1] != nobody) continue;
    std::uint32_t last = nobody;
    for (std::uint32_t v = start; v != nobody;) {
      vertex_at[place++] = v;
      root_[v] = 1;
      const std::uint32_t onward = next_[2 * v] != last ? next_[2 * v] : next_[2 * v + 1];
      last = v;
      v = onward;
    }
  }
}

}  // namespace numatch::engine
