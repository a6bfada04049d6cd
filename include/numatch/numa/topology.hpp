// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace numatch {
inline namespace numa_v1 {

/// A topology that cannot be read: bad text, an unreadable file, no processor to run on.
class topology_error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What counts as a node: a NUMA node, or a group of cores with one last-level cache, which is
/// where the distances lie on a machine with one memory controller and many caches.
enum class node_unit : std::uint8_t {
  numa,  ///< of the operating system
  l3     ///< a group of cores with one L3
};

/// Processors and the memory beside them.
struct topology_node {
  std::vector<unsigned> cpus;  ///< numbers of the operating system, ascending, never empty
  /// NUMA node of the operating system whose memory is the nearest; nullopt: a virtual node, whose
  /// memory is ordinary memory.
  std::optional<unsigned> memory;
};

/// The nodes that parts of a data structure live on: an immutable value, cheap enough to copy.
/// Nodes are numbered from 0 in the order of nodes(); a NUMA node without processors is none of
/// them, because nobody could work there.
class topology {
 public:
  /// This machine, as far as this process may use it (cpuset, affinity). The environment variable
  /// NUMATCH_TOPOLOGY replaces it by what parse() makes of its text.
  static topology system(node_unit unit = node_unit::numa);

  /// "0-3:4-7": processors of each node of this machine; threads are bound to them, and the memory
  /// of a node is that of the NUMA node which holds all its processors. "node:2 core:8 pu:2": a
  /// machine that need not exist (hwloc's synthetic text); nothing is bound, and what would be
  /// where reaches only a trace. Both are for tests, bug reports and the environment.
  static topology parse(std::string_view text);

  /// A machine saved by hwloc (`lstopo machine.xml`); virtual like a synthetic one.
  static topology from_hwloc_xml(const std::string& path, node_unit unit = node_unit::numa);

  /// Nodes.
  std::size_t size() const { return nodes_.size(); }
  /// All of them, by number.
  std::span<const topology_node> nodes() const { return nodes_; }
  /// One of them.
  const topology_node& operator[](std::size_t node) const { return nodes_[node]; }
  /// Processors of all nodes.
  std::size_t cpus() const;

  /// As the firmware gives it: 10 to itself, more to others.
  unsigned distance(std::size_t from, std::size_t to) const {
    return distances_[from * nodes_.size() + to];
  }
  /// Its processors exist here, so that threads can be bound to them.
  bool binds() const { return binds_; }
  /// How it came about, and why it has only one node if it has: a sentence for a log.
  const std::string& why() const { return why_; }
  /// The nodes as parse() reads them: "0-3:4-7".
  std::string str() const;

 private:
  friend class topology_maker;
  topology() = default;

  std::vector<topology_node> nodes_;
  std::vector<unsigned> distances_;  // size × size
  bool binds_ = false;
  std::string why_;
};

}  // namespace numa_v1
}  // namespace numatch
