// SPDX-License-Identifier: Apache-2.0
#include "lsh_probes.hpp"

#include <algorithm>
#include <queue>

namespace vsearch {

namespace {

/// One border that a probe crosses.
struct border {
  float square = 0;
  std::size_t coordinate = 0;
  std::int8_t step = 0;
};

/// Borders by their place in the order of their squares, ascending.
struct crossing {
  float score = 0;
  std::vector<std::size_t> borders;
  friend bool operator<(const crossing& a, const crossing& b) { return a.score > b.score; }
};

bool crosses_both_of_one(const crossing& set, std::span<const border> sorted) {
  for (std::size_t i = 0; i < set.borders.size(); ++i) {
    for (std::size_t j = i + 1; j < set.borders.size(); ++j) {
      if (sorted[set.borders[i]].coordinate == sorted[set.borders[j]].coordinate) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<perturbation> likeliest_probes(std::span<const float> below,
                                           std::span<const float> above, std::size_t count) {
  std::vector<border> sorted;
  for (std::size_t c = 0; c < below.size(); ++c) {
    sorted.push_back({below[c] * below[c], c, -1});
    sorted.push_back({above[c] * above[c], c, 1});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const border& a, const border& b) { return a.square < b.square; });

  std::vector<perturbation> probes;
  std::priority_queue<crossing> next;
  if (!sorted.empty()) next.push({sorted[0].square, {0}});
  while (probes.size() < count && !next.empty()) {
    const crossing best = next.top();
    next.pop();
    // Every set of borders comes from one other, whose score is not larger: by moving its last
    // border on, or by taking the border after it as well.
    const std::size_t last = best.borders.back();
    if (last + 1 < sorted.size()) {
      crossing shifted = best;
      shifted.borders.back() = last + 1;
      shifted.score += sorted[last + 1].square - sorted[last].square;
      next.push(std::move(shifted));
      crossing expanded = best;
      expanded.borders.push_back(last + 1);
      expanded.score += sorted[last + 1].square;
      next.push(std::move(expanded));
    }
    if (crosses_both_of_one(best, sorted)) continue;
    perturbation& probe = probes.emplace_back(below.size(), std::int8_t{0});
    for (const std::size_t b : best.borders) probe[sorted[b].coordinate] = sorted[b].step;
  }
  return probes;
}

}  // namespace vsearch
