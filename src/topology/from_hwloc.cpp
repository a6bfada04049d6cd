// SPDX-License-Identifier: Apache-2.0
#include "topology/from_hwloc.hpp"

#include <hwloc.h>

#include <cctype>
#include <cstdlib>
#include <memory>

#include "base/atomic_file.hpp"

namespace numatch {

namespace {

struct hwloc_closer {
  void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, hwloc_closer>;

result<hwloc_handle> new_handle() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return fail("hwloc", "cannot be initialised");
  return hwloc_handle(raw);
}

std::string level_name(hwloc_obj_t object) {
  switch (object->type) {
    case HWLOC_OBJ_PACKAGE:
      return "Package";
    case HWLOC_OBJ_CORE:
      return "Core";
    case HWLOC_OBJ_PU:
      return "PU";
    case HWLOC_OBJ_DIE:
      return "Die";
    default:
      break;
  }
  if (hwloc_obj_type_is_cache(object->type) != 0) {
    return fmt::format("L{}", object->attr->cache.depth);
  }
  return "Group";
}

/// The ancestor of `pu` (or itself) at `depth`; in uneven trees the highest one below that depth.
hwloc_obj_t ancestor_at(hwloc_obj_t pu, int depth) {
  hwloc_obj_t object = pu;
  while (object->parent != nullptr && object->parent->depth >= depth) object = object->parent;
  return object;
}

std::vector<tree_level> read_levels(hwloc_topology_t t, const std::vector<hwloc_obj_t>& pus) {
  std::vector<tree_level> levels;
  const int depth = hwloc_topology_get_depth(t);
  for (int d = 1; d < depth; ++d) {
    tree_level level{level_name(hwloc_get_obj_by_depth(t, d, 0)), {}};
    for (const hwloc_obj_t pu : pus) {
      level.part.push_back(static_cast<unsigned>(ancestor_at(pu, d)->gp_index));
    }
    levels.push_back(std::move(level));
  }
  return levels;
}

/// The node with the fewest PUs among those that cover the PU: the one nearest to it. A node
/// without processors covers none and is nobody's home.
std::optional<node_id> home_of(hwloc_obj_t pu, const std::vector<hwloc_obj_t>& nodes) {
  std::optional<node_id> home;
  int fewest = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (hwloc_bitmap_isset(nodes[n]->cpuset, pu->os_index) == 0) continue;
    const int weight = hwloc_bitmap_weight(nodes[n]->cpuset);
    if (home && weight >= fewest) continue;
    home = node_id(static_cast<std::uint32_t>(n));
    fewest = weight;
  }
  return home;
}

std::vector<cache_level> read_caches(hwloc_topology_t t, const std::vector<hwloc_obj_t>& pus) {
  std::vector<cache_level> caches;
  for (unsigned level = 1; level <= 5; ++level) {
    const int depth = hwloc_get_cache_type_depth(t, level, HWLOC_OBJ_CACHE_DATA);
    if (depth < 0) continue;
    const hwloc_obj_t first = hwloc_get_obj_by_depth(t, depth, 0);
    cache_level cache;
    cache.level = level;
    cache.bytes = first->attr->cache.size;
    if (first->attr->cache.linesize != 0) cache.line_bytes = first->attr->cache.linesize;
    const int ways = first->attr->cache.associativity;
    cache.ways = ways > 0 ? static_cast<unsigned>(ways) : 0;
    for (const hwloc_obj_t pu : pus) {
      const hwloc_obj_t above = hwloc_get_ancestor_obj_by_depth(t, depth, pu);
      cache.group.push_back(above == nullptr ? no_cache : above->logical_index);
    }
    caches.push_back(std::move(cache));
  }
  return caches;
}

/// The first latency matrix that covers every node; empty where the machine has none.
std::vector<std::vector<double>> read_node_distances(hwloc_topology_t t, std::size_t nodes) {
  hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &count, &found,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      count == 0) {
    return {};
  }
  std::vector<std::vector<double>> table;
  if (found->nbobjs == nodes) {
    table.assign(nodes, std::vector<double>(nodes));
    for (unsigned i = 0; i < found->nbobjs; ++i) {
      for (unsigned j = 0; j < found->nbobjs; ++j) {
        table[found->objs[i]->logical_index][found->objs[j]->logical_index] =
            static_cast<double>(found->values[i * found->nbobjs + j]);
      }
    }
  }
  hwloc_distances_release(t, found);
  return table;
}

topology_parts read_parts(hwloc_topology_t t) {
  std::vector<hwloc_obj_t> pus;
  std::vector<hwloc_obj_t> nodes;
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, o)) != nullptr;) {
    pus.push_back(o);
  }
  for (hwloc_obj_t o = nullptr;
       (o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)) != nullptr;) {
    nodes.push_back(o);
  }
  topology_parts parts;
  parts.levels = read_levels(t, pus);
  for (const hwloc_obj_t pu : pus) {
    parts.pu_os_index.push_back(pu->os_index);
    parts.node_of_pu.push_back(home_of(pu, nodes));
  }
  for (const hwloc_obj_t node : nodes) parts.node_os_index.push_back(node->os_index);
  parts.caches = read_caches(t, pus);
  parts.node_distances = read_node_distances(t, nodes.size());
  return parts;
}

/// The product of the numbers of a synthetic string's levels, attributes in parentheses left out:
/// hwloc would build a machine of any size before anybody could count.
double claimed_pus(const std::string& text) {
  double pus = 1;
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++open;
    if (text[at] == ')') --open;
    const bool starts = at == 0 || text[at - 1] == ':' || text[at - 1] == ' ';
    if (open == 0 && starts && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      pus *= std::strtod(text.c_str() + at, nullptr);
    }
  }
  return pus;
}

}  // namespace

result<topology_parts> live_parts() {
  const result<hwloc_handle> handle = new_handle();
  if (!handle) return tl::unexpected(handle.error());
  if (hwloc_topology_load(handle->get()) != 0) {
    return fail("live", "hwloc cannot read this machine");
  }
  return read_parts(handle->get());
}

result<topology_parts> synthetic_parts(const std::string& text) {
  if (const double pus = claimed_pus(text); pus > static_cast<double>(most_pus)) {
    return fail(text, fmt::format("describes {:.6g} PUs, at most {} work", pus, most_pus));
  }
  const result<hwloc_handle> handle = new_handle();
  if (!handle) return tl::unexpected(handle.error());
  if (hwloc_topology_set_synthetic(handle->get(), text.c_str()) != 0 ||
      hwloc_topology_load(handle->get()) != 0) {
    return fail(text, "is not an hwloc synthetic string",
                "levels go from the outside in and end with pu, as in \"numa:4 core:2 pu:1\"");
  }
  topology_parts parts = read_parts(handle->get());
  // hwloc invents a size for every cache of a synthetic string that states none.
  if (text.find("size=") == std::string::npos) {
    for (cache_level& cache : parts.caches) cache.bytes = 0;
  }
  return parts;
}

result<topology_parts> xml_parts(const std::filesystem::path& path) {
  // Read here, not by hwloc, so that the reason of a failure is known.
  const result<std::string> text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  const result<hwloc_handle> handle = new_handle();
  if (!handle) return tl::unexpected(handle.error());
  if (hwloc_topology_set_xmlbuffer(handle->get(), text->c_str(),
                                   static_cast<int>(text->size() + 1)) != 0 ||
      hwloc_topology_load(handle->get()) != 0) {
    return fail(path.string(), "is not an hwloc XML topology",
                "write one with `lstopo machine.xml` on the machine");
  }
  return read_parts(handle->get());
}

}  // namespace numatch
