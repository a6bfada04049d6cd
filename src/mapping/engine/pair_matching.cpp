// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/pair_matching.hpp"

#include <algorithm>

namespace numatch::engine {

namespace {
constexpr std::uint32_t nobody = ~0U;
}

pair_matcher::pair_matcher(std::size_t vertices) {
  members_.reserve(vertices);
  pair_of_.resize(vertices);
}

std::uint32_t pair_matcher::best_free(const thread_graph& graph, std::uint32_t v,
                                      std::int32_t& weight) const {
  std::uint32_t best = nobody;
  weight = -1;
  for (const thread_graph::edge& e : graph.edges_of(v)) {
    if (pair_of_[e.to] != nobody || e.weight <= weight) continue;
    weight = e.weight;
    best = e.to;
  }
  return best;
}

void pair_matcher::match(const thread_graph& graph, random_source& random) {
  const std::uint32_t count = static_cast<std::uint32_t>(graph.size());
  members_.clear();
  std::fill(pair_of_.begin(), pair_of_.end(), nobody);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    pair_of_[a] = pair_of_[b] = static_cast<std::uint32_t>(members_.size() / 2);
    members_.push_back(a);
    members_.push_back(b);
  };
  const std::uint32_t start = random.below(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t first = (start + i) % count;
    // From a vertex to its best free neighbour, to that one's best, until two choose each other.
    for (std::uint32_t v = first; pair_of_[first] == nobody;) {
      std::int32_t weight = 0;
      const std::uint32_t u = best_free(graph, v, weight);
      if (u == nobody) break;
      std::int32_t better = 0;
      best_free(graph, u, better);
      if (better > weight) {
        v = u;
        continue;
      }
      join(v, u);
      v = first;
    }
  }
  std::uint32_t alone = nobody;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (pair_of_[v] != nobody) continue;
    if (alone == nobody) {
      alone = v;
    } else {
      join(alone, v);
      alone = nobody;
    }
  }
}

}  // namespace numatch::engine
