// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mapping/mapper.hpp"
#include "pattern/profile.hpp"
#include "report/page_sharing.hpp"
#include "topology/topology.hpp"

namespace numatch::report {

/// What one thread mapping keeps near, computed from the profile for one machine.
struct mapping_row {
  std::string algorithm;
  unsigned draws = 1;      ///< "random" is the mean over this many seeds
  thread_mapping mapping;  ///< of the first draw
  double cost = 0;         ///< mapping_cost(), in sharing × distance
  double share_in_node = 0;
  /// Share of the accesses that reach a page on the thread's own node, 0..1, when every page lies
  /// on the node of its first user / on the node that accesses it most. 0 without page usage.
  double local_first_use = 0;
  double local_best = 0;
};

struct placement {
  std::vector<mapping_row> rows;  ///< cheapest first
  /// As local_best, with the pages dealt out to all nodes in turn: 1 / nodes.
  double local_interleave = 0;
  /// "gather: needs a power of two": algorithms that gave no mapping here.
  std::vector<std::string> failed;
  const mapping_row& best() const { return rows.front(); }
  const mapping_row* find(std::string_view algorithm) const;
};

using algorithm_list = std::span<const mapping_algorithm* const>;

/// What a report compares: our own first, the one of the papers, and those that need no knowledge.
std::vector<const mapping_algorithm*> algorithms_to_report();

/// Runs the algorithms; "random" with the seeds 1 … 8. An error when none gave a mapping.
result<placement> compare_mappings(const profile& learned, const std::vector<page_run>& runs,
                                   const topology& machine, algorithm_list algorithms);

}  // namespace numatch::report
