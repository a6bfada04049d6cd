// SPDX-License-Identifier: Apache-2.0
#include "hwloc_machine.hpp"

#include <hwloc/distances.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "topology_maker.hpp"

namespace numatch {
inline namespace numa_v1 {

namespace {

/// Whether this process may run there; a cgroup's cpuset is part of its affinity.
bool may_run_on(unsigned cpu) {
  constexpr std::size_t most = 8192;
  static_assert(most % CPU_SETSIZE == 0);
  std::array<cpu_set_t, most / CPU_SETSIZE> allowed{};
  if (sched_getaffinity(0, sizeof allowed, allowed.data()) != 0) return true;
  return cpu < most && CPU_ISSET_S(cpu, sizeof allowed, allowed.data());
}

}  // namespace

hwloc_machine hwloc_machine::made(std::string source,
                                  bool (*choose)(hwloc_topology*, const std::string&),
                                  const std::string& what) {
  hwloc_topology* machine = nullptr;
  if (hwloc_topology_init(&machine) != 0) throw topology_error("hwloc does not start");
  hwloc_machine loaded(machine, std::move(source));
  if (!choose(machine, what) || hwloc_topology_load(machine) != 0) {
    throw topology_error("hwloc cannot read " + loaded.source_ +
                         "; write \"0-3:4-7\", \"node:2 core:8 pu:2\" or name a file of lstopo");
  }
  return loaded;
}

hwloc_machine hwloc_machine::here() {
  return made("this machine", [](hwloc_topology*, const std::string&) { return true; }, {});
}

hwloc_machine hwloc_machine::synthetic(const std::string& text) {
  return made(
      "'" + text + "'",
      [](hwloc_topology* machine, const std::string& what) {
        return hwloc_topology_set_synthetic(machine, what.c_str()) == 0;
      },
      text);
}

hwloc_machine hwloc_machine::xml(const std::string& path) {
  return made(
      path,
      [](hwloc_topology* machine, const std::string& what) {
        return hwloc_topology_set_xml(machine, what.c_str()) == 0;
      },
      path);
}

std::vector<unsigned> hwloc_machine::usable(hwloc_const_cpuset_t set) const {
  std::vector<unsigned> cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
    const unsigned number = static_cast<unsigned>(cpu);
    if (!is_here() || may_run_on(number)) cpus.push_back(number);
  }
  return cpus;
}

/// The NUMA node of a processor; null when it has none. hwloc gives a node without processors those
/// of its surroundings, so the one with the fewest counts.
hwloc_obj_t hwloc_machine::memory_beside(unsigned cpu) const {
  hwloc_obj_t best = nullptr;
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(machine_.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
    if (hwloc_bitmap_isset(node->cpuset, cpu) == 0) continue;
    if (best == nullptr || hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(best->cpuset)) {
      best = node;
    }
  }
  return best;
}

/// nullopt also when the processors have different ones.
std::optional<unsigned> hwloc_machine::memory_of(const std::vector<unsigned>& cpus) const {
  if (!is_here() || cpus.empty()) return std::nullopt;
  const hwloc_obj_t node = memory_beside(cpus.front());
  for (const unsigned cpu : cpus) {
    if (memory_beside(cpu) != node) return std::nullopt;
  }
  return node == nullptr ? std::nullopt : std::optional<unsigned>(node->os_index);
}

std::vector<unsigned> hwloc_machine::distances_of(const std::vector<topology_node>& nodes) const {
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(machine_.get(), HWLOC_OBJ_NUMANODE, &count, &matrix,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0) {
    return {};
  }
  std::vector<std::size_t> rows;  // of each node's memory
  for (const topology_node& node : nodes) {
    const hwloc_obj_t memory = memory_beside(node.cpus.front());
    for (unsigned row = 0; row < matrix->nbobjs; ++row) {
      if (matrix->objs[row] == memory) rows.push_back(row);
    }
  }
  std::vector<unsigned> distances;
  if (rows.size() == nodes.size()) {
    for (const std::size_t from : rows) {
      for (const std::size_t to : rows) {
        distances.push_back(static_cast<unsigned>(matrix->values[from * matrix->nbobjs + to]));
      }
    }
  }
  hwloc_distances_release(machine_.get(), matrix);
  return distances;
}

std::string hwloc_machine::why(std::size_t nodes, std::size_t without_cpus) const {
  std::string text = source_ + ": " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
  if (without_cpus > 0) {
    text += ", " + std::to_string(without_cpus) + " left out because no usable processor is on it";
  }
  if (nodes == 1 && is_here()) {
    const int numa = hwloc_get_nbobjs_by_type(machine_.get(), HWLOC_OBJ_NUMANODE);
    text += numa > 1 ? "; this process may use the processors of one node only"
                     : "; the kernel shows one NUMA node, so every part is on it";
  }
  return text;
}

topology hwloc_machine::nodes(node_unit unit) const {
  hwloc_topology* const machine = machine_.get();
  const hwloc_obj_type_t type =
      unit == node_unit::l3 && hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_L3CACHE) > 0
          ? HWLOC_OBJ_L3CACHE
          : HWLOC_OBJ_NUMANODE;
  std::vector<topology_node> found;
  std::size_t without = 0;
  for (hwloc_obj_t one = nullptr;
       (one = hwloc_get_next_obj_by_type(machine, type, one)) != nullptr;) {
    topology_node node{usable(one->cpuset), std::nullopt};
    if (type == HWLOC_OBJ_NUMANODE) {
      std::erase_if(node.cpus, [&](unsigned cpu) { return memory_beside(cpu) != one; });
    }
    node.memory = memory_of(node.cpus);
    if (node.cpus.empty()) {
      ++without;
    } else {
      found.push_back(std::move(node));
    }
  }
  topology_maker maker(is_here());
  for (const topology_node& node : found) maker.add(node);
  return maker.done(distances_of(found), why(found.size(), without));
}

topology hwloc_machine::nodes_of(const std::vector<std::vector<unsigned>>& cpus) const {
  std::vector<topology_node> wanted;
  topology_maker maker(true);
  for (const std::vector<unsigned>& list : cpus) {
    for (const unsigned cpu : list) {
      if (hwloc_bitmap_isset(hwloc_topology_get_topology_cpuset(machine_.get()), cpu) == 0 ||
          !may_run_on(cpu)) {
        throw topology_error("processor " + std::to_string(cpu) +
                             " does not exist here or may not be used by this process");
      }
    }
    wanted.push_back({list, memory_of(list)});
    maker.add(wanted.back());
  }
  return maker.done(distances_of(wanted), "processors as given: " + std::to_string(wanted.size()) +
                                              (wanted.size() == 1 ? " node" : " nodes"));
}

}  // namespace numa_v1
}  // namespace numatch
