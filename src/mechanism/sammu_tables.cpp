// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sammu_tables.hpp"

#include <algorithm>
#include <bit>

namespace numatch::sammu {

std::uint64_t raised_threshold(std::uint64_t at, std::uint64_t ac) {
  return (at + ac) / 2;
}

std::uint64_t lowered_threshold_exact(std::uint64_t at, std::uint64_t ac) {
  return at - (at - ac) * ac / at;
}

std::uint64_t lowered_threshold_shift(std::uint64_t at, std::uint64_t ac) {
  if (ac == 0) return at;
  return at - ((at - ac) >> (std::bit_width(at) - std::bit_width(ac)));
}

void count_node(std::span<std::uint32_t> nc, node_id node, const node_rule& rule) {
  for (std::size_t n = 0; n < nc.size(); ++n) {
    if (n == node.index()) {
      nc[n] = std::min(nc[n] + rule.v_add, rule.counter_max);
    } else if (nc[n] > 0) {
      --nc[n];
    }
  }
}

bool notifies(std::span<const std::uint32_t> nc, node_id node, node_id present,
              const node_rule& rule) {
  return node != present && nc[node.index()] >= nc[present.index()] + rule.threshold;
}

}  // namespace numatch::sammu
