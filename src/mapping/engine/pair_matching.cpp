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
  heaviest_.resize(vertices + 1);
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

void pair_matcher::clear() {
  members_.clear();
  std::fill(pair_of_.begin(), pair_of_.end(), nobody);
}

void pair_matcher::join(std::uint32_t a, std::uint32_t b) {
  pair_of_[a] = pair_of_[b] = static_cast<std::uint32_t>(members_.size() / 2);
  members_.push_back(a);
  members_.push_back(b);
}

void pair_matcher::match(const thread_graph& graph, random_source& random) {
  clear();
  match_rest(graph, random.below(static_cast<std::uint32_t>(graph.size())));
}

void pair_matcher::match_along(const thread_graph& graph, std::span<const std::uint32_t> line) {
  clear();
  // heaviest_[i]: the most that pairs of neighbours among the first i of the line share.
  const auto shared = [&](std::size_t i) { return graph.row(line[i - 2])[line[i - 1]]; };
  heaviest_[0] = heaviest_[1] = 0;
  for (std::size_t i = 2; i <= line.size(); ++i) {
    heaviest_[i] = std::max(heaviest_[i - 1], heaviest_[i - 2] + shared(i));
  }
  for (std::size_t i = line.size(); i >= 2; --i) {
    if (heaviest_[i] == heaviest_[i - 1]) continue;
    join(line[i - 2], line[i - 1]);
    --i;
  }
  match_rest(graph, 0);
}

/// Pairs those that have no partner yet.
void pair_matcher::match_rest(const thread_graph& graph, std::uint32_t start) {
  const std::uint32_t count = static_cast<std::uint32_t>(graph.size());
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
