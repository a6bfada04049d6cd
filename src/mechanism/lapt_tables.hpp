// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"

// The operating-system half of LAPT as plain functions (section III-B and III-C).

namespace numatch::lapt {

/// Counters of the NUMA access table: their width and what a full one does.
struct nat_rule {
  std::uint32_t counter_max = 255;  ///< 1 byte each (section III-E)
  bool halve_when_full = false;     ///< halve all counters of the page instead of saturating
  double move_ratio = 2;            ///< Eq. 6
};

/// Eq. 4 for one entry of the communication vector: NAT[P][node] += 1.
void count_node(std::span<std::uint32_t> nat, node_id node, const nat_rule& rule);

/// Eq. 5 and 6: where page P should move, or nullopt when it stays. The maximum must be at least
/// move_ratio × the average over all nodes; with two nodes and the ratio 2 this means that the
/// other counter is 0. A page that already lies on a node with the maximum stays; otherwise the
/// first such node is taken.
std::optional<node_id> better_node(std::span<const std::uint32_t> nat, node_id present,
                                   const nat_rule& rule);

/// On a migration: halves all counters when their average is at least 1.
void age(std::span<std::uint32_t> nat);

/// How long until the next thread mapping (section III-B).
struct interval_rule {
  std::uint64_t first = 300'000'000;  ///< nanoseconds, like all of these
  std::uint64_t step = 50'000'000;
  std::uint64_t shortest = 50'000'000;
  std::uint64_t longest = 500'000'000;
};

/// Longer by one step after a mapping that did not differ, half as long after one that did.
std::uint64_t next_interval(std::uint64_t present, bool mapping_changed, const interval_rule& rule);

}  // namespace numatch::lapt
