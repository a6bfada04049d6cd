// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace numatch {

/// cache_level::group of a PU without a cache of that level (uneven machines).
inline constexpr unsigned no_cache = ~0U;

/// A cache as one row of the machine: all caches of a level look alike in what numatch models.
struct cache_level {
  unsigned level = 1;
  std::uint64_t bytes = 0;  ///< 0: not known
  unsigned line_bytes = 64;
  unsigned ways = 0;            ///< 0: not known
  std::vector<unsigned> group;  ///< group[pu] = index of the cache that serves this PU
};

/// A machine as thread and page mapping see it: PUs (by hwloc's logical index), the tree above
/// them, NUMA nodes and distances. An immutable value; a live machine, an hwloc XML export, an
/// hwloc synthetic string and a file of machines/ all become one of these.
class topology {
 public:
  /// SPEC: "live", an hwloc synthetic string ("numa:4 core:2 pu:1"), the path of an hwloc XML file,
  /// or the name of a machine description ("simics-4x2", searched in machine_folders()).
  static result<topology> load(std::string_view spec);

  const std::string& name() const { return name_; }
  std::size_t pu_count() const { return node_of_pu_.size(); }
  std::size_t node_count() const { return node_distances_.size(); }

  /// Node of a PU: the nearest one when a PU has none of its own.
  node_id node_of(pu_id pu) const { return node_of_pu_[pu.index()]; }
  /// The operating system's number of a PU (what taskset and GOMP_CPU_AFFINITY take).
  unsigned os_index(pu_id pu) const { return os_index_[pu.index()]; }
  unsigned os_index(node_id node) const { return node_os_index_[node.index()]; }

  /// The core of a PU, numbered from 0: PUs of one core are its hardware threads.
  unsigned core_of(pu_id pu) const { return core_of_pu_[pu.index()]; }

  /// Number of branching levels of the tree (levels of arity 1 are left out), root first.
  std::size_t depth() const { return paths_.empty() ? 0 : paths_.front().size(); }
  /// The way from the root to a PU: at each branching level the number of the child taken. Uneven
  /// trees are padded with 0 below a PU's leaf.
  const std::vector<unsigned>& path(pu_id pu) const { return paths_[pu.index()]; }
  /// Arity per level where the tree is even ("4 2" for 4 nodes of 2 cores), else empty.
  const std::vector<unsigned>& arities() const { return arities_; }

  /// 2 × levels up to the lowest common ancestor; 0 on one PU. Levels of arity 1 are not counted.
  unsigned distance(pu_id a, pu_id b) const;
  /// Relative memory latency between nodes as in the ACPI SLIT (10 = local); from hwloc or the
  /// description, and 10/20 where the machine does not say (distances_known() is false then).
  double node_distance(node_id a, node_id b) const { return node_distances_[a.index()][b.index()]; }
  bool distances_known() const { return distances_known_; }

  const std::vector<cache_level>& caches() const { return caches_; }
  /// A tree level's field name for drawing: "Machine", "Package", "NUMANode", "L3", "Core", "PU".
  const std::vector<std::string>& level_names() const { return level_names_; }
  /// Facts of a machine description with their sources, in file order; empty for other kinds of
  /// SPEC.
  struct fact {
    std::string key, value, unit, source;
  };
  const std::vector<fact>& facts() const { return facts_; }

 private:
  friend struct topology_builder;
  std::string name_;
  std::vector<node_id> node_of_pu_;
  std::vector<unsigned> core_of_pu_;
  std::vector<unsigned> os_index_;
  std::vector<unsigned> node_os_index_;
  std::vector<std::vector<unsigned>> paths_;
  std::vector<unsigned> arities_;
  std::vector<std::vector<double>> node_distances_;
  bool distances_known_ = false;
  std::vector<cache_level> caches_;
  std::vector<std::string> level_names_;
  std::vector<fact> facts_;
};

}  // namespace numatch
