// SPDX-License-Identifier: Apache-2.0
#include "topology/builder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "topology/from_description.hpp"

namespace numatch {

namespace {

/// Renumbers the parts 0, 1, … by their first PU, so that equal partitions compare equal.
std::vector<unsigned> canonical(const std::vector<unsigned>& part) {
  std::map<unsigned, unsigned> number;
  std::vector<unsigned> renumbered;
  renumbered.reserve(part.size());
  for (const unsigned p : part) {
    const unsigned next = static_cast<unsigned>(number.size());
    renumbered.push_back(number.try_emplace(p, next).first->second);
  }
  return renumbered;
}

/// Which name says most where several objects cover the same PUs (a package that is also one NUMA
/// node and one L3).
std::size_t rank(const std::string& name) {
  static constexpr std::array<std::string_view, 9> by_rank{
      "Group", "L1", "L2", "L3", "Die", "Core", "Package", "NUMANode", "PU"};
  const auto* found = std::find(by_rank.begin(), by_rank.end(), name);
  return found == by_rank.end() ? 0 : static_cast<std::size_t>(found - by_rank.begin());
}

/// The levels that branch, each with the most telling of its names.
std::vector<tree_level> branching_levels(const topology_parts& parts) {
  std::vector<tree_level> kept;
  std::vector<unsigned> above(parts.pu_os_index.size(), 0);
  for (const tree_level& level : parts.levels) {
    std::vector<unsigned> part = canonical(level.part);
    if (part != above) {
      kept.push_back({level.name, part});
      above = std::move(part);
    } else if (!kept.empty() && rank(level.name) > rank(kept.back().name)) {
      kept.back().name = level.name;
    }
  }
  return kept;
}

/// Where a level branches as the NUMA nodes do, "NUMANode" is its name.
void name_node_level(std::vector<tree_level>& levels,
                     const std::vector<std::optional<node_id>>& homes) {
  std::vector<unsigned> nodes;
  for (const std::optional<node_id>& home : homes) nodes.push_back(home ? home->value : ~0U);
  nodes = canonical(nodes);
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    if (levels[l].part == nodes) levels[l].name = "NUMANode";
  }
}

/// paths[pu][level] = number of the child among its siblings.
std::vector<std::vector<unsigned>> number_children(const std::vector<tree_level>& levels,
                                                   std::size_t pus) {
  std::vector<std::vector<unsigned>> paths(pus, std::vector<unsigned>(levels.size()));
  std::vector<unsigned> parent(pus, 0);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    std::map<unsigned, std::map<unsigned, unsigned>> children;
    for (std::size_t pu = 0; pu < pus; ++pu) {
      std::map<unsigned, unsigned>& siblings = children[parent[pu]];
      const unsigned next = static_cast<unsigned>(siblings.size());
      paths[pu][l] = siblings.try_emplace(levels[l].part[pu], next).first->second;
    }
    parent = levels[l].part;
  }
  return paths;
}

/// Arity per level, or nothing where two objects of a level have different numbers of children.
std::vector<unsigned> even_arities(const std::vector<std::vector<unsigned>>& paths) {
  const std::size_t depth = paths.front().size();
  std::vector<unsigned> arities(depth, 0);
  for (const std::vector<unsigned>& path : paths) {
    for (std::size_t l = 0; l < depth; ++l) arities[l] = std::max(arities[l], path[l] + 1);
  }
  std::size_t leaves = 1;
  for (const unsigned arity : arities) {
    leaves *= arity;
    if (leaves > paths.size()) return {};
  }
  return leaves == paths.size() ? arities : std::vector<unsigned>{};
}

/// The home of the PU with the longest common way from the root; node 0 where no PU has a home.
node_id nearest_node(const std::vector<std::optional<node_id>>& homes,
                     const std::vector<std::vector<unsigned>>& paths, std::size_t pu) {
  node_id best{0};
  std::size_t longest = 0;
  bool found = false;
  for (std::size_t other = 0; other < homes.size(); ++other) {
    if (!homes[other]) continue;
    const auto split = std::mismatch(paths[pu].begin(), paths[pu].end(), paths[other].begin());
    const std::size_t common = static_cast<std::size_t>(split.first - paths[pu].begin());
    if (!found || common > longest) best = *homes[other];
    if (!found || common > longest) longest = common;
    found = true;
  }
  return best;
}

/// The cores, or every PU by itself where the machine states none.
std::vector<unsigned> core_numbers(const topology_parts& parts) {
  for (const tree_level& level : parts.levels) {
    if (level.name == "Core") return canonical(level.part);
  }
  std::vector<unsigned> cores(parts.pu_os_index.size());
  std::iota(cores.begin(), cores.end(), 0U);
  return cores;
}

std::vector<std::vector<double>> assumed_distances(std::size_t nodes) {
  std::vector<std::vector<double>> distances(nodes, std::vector<double>(nodes, 20));
  for (std::size_t n = 0; n < nodes; ++n) distances[n][n] = 10;
  return distances;
}

}  // namespace

result<topology> topology_builder::build(topology_parts parts) {
  const std::size_t pus = parts.pu_os_index.size();
  if (pus == 0) return fail(parts.name, "the machine has no processing unit");
  if (pus > most_pus) {
    return fail(parts.name, fmt::format("the machine has {} PUs, at most {} work", pus, most_pus));
  }
  if (parts.node_os_index.empty()) return fail(parts.name, "the machine has no NUMA node");

  std::vector<tree_level> levels = branching_levels(parts);
  name_node_level(levels, parts.node_of_pu);
  topology machine;
  machine.name_ = std::move(parts.name);
  machine.core_of_pu_ = core_numbers(parts);
  machine.os_index_ = std::move(parts.pu_os_index);
  machine.paths_ = number_children(levels, pus);
  machine.arities_ = even_arities(machine.paths_);
  for (std::size_t pu = 0; pu < pus; ++pu) {
    const std::optional<node_id> home = parts.node_of_pu[pu];
    machine.node_of_pu_.push_back(home ? *home
                                       : nearest_node(parts.node_of_pu, machine.paths_, pu));
  }
  machine.distances_known_ = !parts.node_distances.empty();
  machine.node_distances_ = machine.distances_known_
                                ? std::move(parts.node_distances)
                                : assumed_distances(parts.node_os_index.size());
  machine.node_os_index_ = std::move(parts.node_os_index);
  machine.caches_ = std::move(parts.caches);
  machine.level_names_.emplace_back("Machine");
  for (const tree_level& level : levels) machine.level_names_.push_back(level.name);
  machine.facts_ = std::move(parts.facts);
  return machine;
}

topology topology_builder::described(topology machine, std::vector<topology::fact> facts) {
  machine.facts_ = std::move(facts);
  describe_caches(machine.caches_, machine.facts_);
  return machine;
}

}  // namespace numatch
