// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>
#include <vector>

#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

/// A machine as hwloc knows it.
class hwloc_machine {
 public:
  static hwloc_machine here();
  static hwloc_machine synthetic(const std::string& text);
  static hwloc_machine xml(const std::string& path);

  topology nodes(node_unit unit) const;
  /// Nodes of the given processors, all of which must be usable.
  topology nodes_of(const std::vector<std::vector<unsigned>>& cpus) const;

 private:
  struct destroy {
    void operator()(hwloc_topology* machine) const { hwloc_topology_destroy(machine); }
  };
  explicit hwloc_machine(hwloc_topology* machine, std::string source)
      : machine_(machine), source_(std::move(source)) {}
  static hwloc_machine made(std::string source, bool (*choose)(hwloc_topology*, const std::string&),
                            const std::string& what);
  bool is_here() const { return hwloc_topology_is_thissystem(machine_.get()) != 0; }
  std::vector<unsigned> usable(hwloc_const_cpuset_t set) const;
  hwloc_obj_t memory_beside(unsigned cpu) const;
  std::optional<unsigned> memory_of(const std::vector<unsigned>& cpus) const;
  std::vector<unsigned> distances_of(const std::vector<topology_node>& nodes) const;
  std::string why(std::size_t nodes, std::size_t without_cpus) const;

  std::unique_ptr<hwloc_topology, destroy> machine_;
  std::string source_;  ///< "this machine", a file, a text
};

}  // namespace numa_v1
}  // namespace numatch
