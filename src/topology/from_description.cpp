// SPDX-License-Identifier: Apache-2.0
#include "topology/from_description.hpp"

#include "topology/from_hwloc.hpp"
#include "topology/machine_description.hpp"

namespace numatch {

void describe_caches(std::vector<cache_level>& caches, const std::vector<topology::fact>& facts) {
  for (cache_level& cache : caches) {
    const std::string prefix = fmt::format("cache.l{}.", cache.level);
    if (const topology::fact* size = find_fact(facts, prefix + "size"); size != nullptr) {
      cache.bytes = bytes_of(*size);
    }
    if (const topology::fact* line = find_fact(facts, prefix + "line"); line != nullptr) {
      cache.line_bytes = static_cast<unsigned>(bytes_of(*line));
    }
    if (const topology::fact* ways = find_fact(facts, prefix + "ways"); ways != nullptr) {
      cache.ways = static_cast<unsigned>(std::stod(ways->value));
    }
  }
}

result<topology_parts> description_parts(const std::filesystem::path& path) {
  result<machine_description> description = read_description(path);
  if (!description) return tl::unexpected(description.error());
  const topology::fact* tree = description->find("tree.hwloc");
  if (tree == nullptr) {
    return fail(path.string(), "has no tree.hwloc", "docs/machines.md shows a description");
  }
  result<topology_parts> parts = synthetic_parts(tree->value);
  if (!parts) return fail(path.string(), "tree.hwloc " + parts.error().what, parts.error().hint);
  for (cache_level& cache : parts->caches) cache.ways = 0;
  describe_caches(parts->caches, description->facts);
  const std::size_t nodes = parts->node_os_index.size();
  const std::size_t rows = description->node_distances.size();
  if (rows != 0 && rows != nodes) {
    return fail(path.string(), fmt::format("distance.nodes has {} rows for {} nodes", rows, nodes));
  }
  parts->node_distances = std::move(description->node_distances);
  parts->name = description->name;
  parts->facts = std::move(description->facts);
  return parts;
}

}  // namespace numatch
