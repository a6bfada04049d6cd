// SPDX-License-Identifier: Apache-2.0
#include "mapping/sharing_graph.hpp"

#include <algorithm>

namespace numatch {

namespace {

std::size_t count_pairs(const sharing_matrix& sharing) {
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = i + 1; j < sharing.size(); ++j) pairs += sharing.between(i, j) > 0 ? 1 : 0;
  }
  return pairs;
}

/// Per thread the weight of its `keep`-th heaviest edge: lighter ones go.
std::vector<double> thresholds(const sharing_matrix& sharing, std::size_t keep) {
  std::vector<double> lightest(sharing.size(), 0);
  std::vector<double> row(sharing.size());
  if (keep >= sharing.size()) return lightest;
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < sharing.size(); ++j) row[j] = i == j ? 0 : sharing.between(i, j);
    const auto nth = row.begin() + static_cast<std::ptrdiff_t>(keep - 1);
    std::nth_element(row.begin(), nth, row.end(), std::greater<>());
    lightest[i] = *nth;
  }
  return lightest;
}

}  // namespace

sharing_graph::sharing_graph(const sharing_matrix& sharing, std::size_t max_edges) {
  const std::size_t threads = sharing.size();
  const bool all = count_pairs(sharing) <= max_edges;
  const std::size_t keep = all ? threads : std::max<std::size_t>(1, max_edges / threads);
  const std::vector<double> lightest = thresholds(sharing, keep);
  // Of equally heavy edges a thread keeps its neighbours in number first, so that a uniform matrix
  // stays within the bound.
  std::vector<std::vector<edge>> rows(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    std::size_t room = keep;
    for (std::size_t step = 1; step < threads && room > 0; ++step) {
      const std::size_t j = (i + step) % threads;
      const double weight = sharing.between(i, j);
      if (weight <= 0 || weight < lightest[i]) continue;
      --room;
      if (all) {
        rows[i].push_back({static_cast<std::uint32_t>(j), weight});
      } else {
        rows[i].push_back({static_cast<std::uint32_t>(j), weight});
        rows[j].push_back({static_cast<std::uint32_t>(i), weight});
      }
    }
  }
  first_.push_back(0);
  for (std::vector<edge>& row : rows) {
    std::sort(row.begin(), row.end(), [](const edge& a, const edge& b) { return a.to < b.to; });
    row.erase(std::unique(row.begin(), row.end(),
                          [](const edge& a, const edge& b) { return a.to == b.to; }),
              row.end());
    edges_.insert(edges_.end(), row.begin(), row.end());
    first_.push_back(edges_.size());
  }
}

}  // namespace numatch
