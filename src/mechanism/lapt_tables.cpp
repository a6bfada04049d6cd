// SPDX-License-Identifier: Apache-2.0
#include "mechanism/lapt_tables.hpp"

#include <algorithm>
#include <numeric>

namespace numatch::lapt {

void count_node(std::span<std::uint32_t> nat, node_id node, const nat_rule& rule) {
  std::uint32_t& counter = nat[node.index()];
  if (counter >= rule.counter_max) {
    if (!rule.halve_when_full) return;
    for (std::uint32_t& c : nat) c /= 2;
  }
  ++counter;
}

namespace {

std::uint64_t sum_of(std::span<const std::uint32_t> nat) {
  return std::accumulate(nat.begin(), nat.end(), std::uint64_t{0});
}

}  // namespace

std::optional<node_id> better_node(std::span<const std::uint32_t> nat, node_id present,
                                   const nat_rule& rule) {
  const auto highest = std::max_element(nat.begin(), nat.end());
  if (highest == nat.end() || *highest == 0 || nat[present.index()] == *highest) {
    return std::nullopt;
  }
  const double average = static_cast<double>(sum_of(nat)) / static_cast<double>(nat.size());
  if (*highest < rule.move_ratio * average) return std::nullopt;
  return node_id(static_cast<std::uint32_t>(highest - nat.begin()));
}

void age(std::span<std::uint32_t> nat) {
  if (sum_of(nat) < nat.size()) return;
  for (std::uint32_t& counter : nat) counter /= 2;
}

std::uint64_t next_interval(std::uint64_t present, bool mapping_changed,
                            const interval_rule& rule) {
  const std::uint64_t next = mapping_changed ? present / 2 : present + rule.step;
  return std::clamp(next, rule.shortest, rule.longest);
}

}  // namespace numatch::lapt
