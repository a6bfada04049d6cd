// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/rebalance.hpp"

#include <algorithm>
#include <stdexcept>

namespace numatch {
inline namespace numa_v1 {

rebalance_plan plan_rebalance(std::span<const double> load,
                              std::span<const std::size_t> node_of_part, std::size_t nodes) {
  if (load.size() != node_of_part.size()) {
    throw std::invalid_argument("plan_rebalance: one load per part is needed");
  }
  if (std::any_of(load.begin(), load.end(), [](double one) { return !(one >= 0); })) {
    throw std::invalid_argument("plan_rebalance: a load is negative or no number");
  }
  rebalance_plan plan;
  plan.node_of_part.assign(node_of_part.begin(), node_of_part.end());
  std::vector<double> of_node(nodes, 0);
  for (std::size_t p = 0; p < load.size(); ++p) of_node[node_of_part[p]] += load[p];
  plan.heaviest_before = of_node.empty() ? 0 : *std::max_element(of_node.begin(), of_node.end());
  // Every move makes the heavier of two nodes lighter, so there is an end; the bound is for loads
  // whose sums differ by rounding only.
  for (std::size_t step = 0; step < load.size() * nodes; ++step) {
    const std::size_t heavy = static_cast<std::size_t>(
        std::max_element(of_node.begin(), of_node.end()) - of_node.begin());
    const std::size_t light = static_cast<std::size_t>(
        std::min_element(of_node.begin(), of_node.end()) - of_node.begin());
    std::size_t best = load.size();
    double least = of_node[heavy];
    for (std::size_t p = 0; p < load.size(); ++p) {
      if (plan.node_of_part[p] != heavy) continue;
      const double heavier = std::max(of_node[heavy] - load[p], of_node[light] + load[p]);
      if (heavier < least) {
        least = heavier;
        best = p;
      }
    }
    if (best == load.size()) break;
    of_node[heavy] -= load[best];
    of_node[light] += load[best];
    plan.node_of_part[best] = light;
  }
  for (std::size_t p = 0; p < load.size(); ++p) {
    plan.moves += plan.node_of_part[p] == node_of_part[p] ? 0 : 1;
  }
  plan.heaviest_after = of_node.empty() ? 0 : *std::max_element(of_node.begin(), of_node.end());
  return plan;
}

}  // namespace numa_v1
}  // namespace numatch
