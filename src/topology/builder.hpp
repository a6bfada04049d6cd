// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "topology/topology.hpp"

namespace numatch {

/// Linux knows no more processors on any machine (NR_CPUS), and tables of PU × PU fit into memory.
inline constexpr std::size_t most_pus = 8192;

/// One level of a machine's tree as a partition of its PUs: PUs with equal part numbers lie under
/// one object of the level. Every level refines the one above it.
struct tree_level {
  std::string name;            ///< "Package", "NUMANode", "L3", "Core", "PU"
  std::vector<unsigned> part;  ///< part[pu]; any numbers, only equality counts
};

/// What every source of a machine (hwloc, a description) delivers.
struct topology_parts {
  std::string name;
  std::vector<tree_level> levels;     ///< from below the root down to the PUs
  std::vector<unsigned> pu_os_index;  ///< one per PU
  std::vector<unsigned> node_os_index;
  std::vector<std::optional<node_id>> node_of_pu;   ///< empty: the PU has no node of its own
  std::vector<std::vector<double>> node_distances;  ///< empty: not known
  std::vector<cache_level> caches;
  std::vector<topology::fact> facts;
};

/// Turns the parts into a machine: leaves out levels that do not branch, numbers the children,
/// finds the nearest node of PUs that have none. Errors: no PU, more than most_pus, no node.
struct topology_builder {
  static result<topology> build(topology_parts parts);
  /// The same machine described by other facts: sizes, lines and ways of caches follow them.
  static topology described(topology machine, std::vector<topology::fact> facts);
};

}  // namespace numatch
