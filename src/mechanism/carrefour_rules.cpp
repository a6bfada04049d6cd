// SPDX-License-Identifier: Apache-2.0
#include "mechanism/carrefour_rules.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace numatch::carrefour {

double imbalance_of(std::span<const std::uint64_t> accesses_of_node) {
  const double nodes = static_cast<double>(accesses_of_node.size());
  const double mean =
      std::accumulate(accesses_of_node.begin(), accesses_of_node.end(), 0.0) / nodes;
  if (nodes < 2 || mean == 0) return 0;
  double squares = 0;
  for (const std::uint64_t accesses : accesses_of_node) {
    const double off = static_cast<double>(accesses) - mean;
    squares += off * off;
  }
  return std::sqrt(squares / (nodes - 1)) / mean;
}

techniques decide(const metrics& seen, const thresholds& limits, const techniques& allowed) {
  if (seen.accesses_per_microsecond < limits.intensity) return {false, false, false};
  return {.replication = allowed.replication && seen.read_share >= limits.replication_reads,
          .interleaving = allowed.interleaving && seen.local_share < limits.interleaving_local &&
                          seen.imbalance > limits.interleaving_imbalance,
          .migration = allowed.migration && seen.local_share < limits.migration_local};
}

page_fate fate_of(std::span<const std::uint32_t> samples_of_node, std::uint64_t writes,
                  const techniques& on, std::uint64_t least_samples) {
  const auto users = std::count_if(samples_of_node.begin(), samples_of_node.end(),
                                   [](std::uint32_t samples) { return samples > 0; });
  if (users > 1) {
    if (on.replication && writes == 0) return page_fate::replicate;
    return on.interleaving ? page_fate::interleave : page_fate::stay;
  }
  const std::uint64_t samples =
      std::accumulate(samples_of_node.begin(), samples_of_node.end(), std::uint64_t{0});
  const bool moves = users == 1 && (on.interleaving || (on.migration && samples >= least_samples));
  return moves ? page_fate::migrate : page_fate::stay;
}

std::optional<node_id> interleaved_to(std::span<const std::uint64_t> accesses_of_node,
                                      node_id present, double leaving_draw, double node_draw) {
  const double all = std::accumulate(accesses_of_node.begin(), accesses_of_node.end(), 0.0);
  const auto share = [&](std::size_t node) {
    return all == 0 ? 0 : static_cast<double>(accesses_of_node[node]) / all;
  };
  if (leaving_draw >= share(present.index())) return std::nullopt;
  // The weights 1 - share of n nodes add up to n - 1.
  double left = node_draw * static_cast<double>(accesses_of_node.size() - 1);
  std::size_t node = 0;
  while (node + 1 < accesses_of_node.size() && left >= 1 - share(node)) {
    left -= 1 - share(node);
    ++node;
  }
  if (node == present.index()) return std::nullopt;
  return node_id(static_cast<std::uint32_t>(node));
}

}  // namespace numatch::carrefour
