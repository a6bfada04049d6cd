// SPDX-License-Identifier: Apache-2.0
#include "mechanism/share_maps.hpp"

#include <algorithm>

#include "mechanism/pu_loads.hpp"

namespace numatch::azimi {

void share_maps::note_thread(thread_id thread) {
  while (counters_.size() <= thread.index()) counters_.emplace_back(entries());
}

std::optional<std::size_t> share_maps::count(thread_id thread, std::uint64_t region) {
  note_thread(thread);
  const std::size_t entry = (region * 0x9e3779b97f4a7c15u >> 32) % entries();
  std::optional<std::uint64_t>& owner = region_of_[entry];
  if (!owner) owner = region;
  if (*owner != region) return std::nullopt;
  std::uint8_t& counter = counters_[thread.index()][entry];
  if (counter < counter_max) ++counter;
  return entry;
}

void share_maps::age(double factor) {
  for (std::vector<std::uint8_t>& map : counters_) {
    for (std::uint8_t& c : map) c = static_cast<std::uint8_t>(c * factor);
  }
  for (std::size_t e = 0; e < entries(); ++e) {
    const bool used = std::any_of(counters_.begin(), counters_.end(),
                                  [&](const std::vector<std::uint8_t>& map) { return map[e] > 0; });
    if (!used) region_of_[e].reset();
  }
}

namespace {

/// Entries that count: those that not too many threads use.
std::vector<std::size_t> entries_that_count(const share_maps& maps, bool leave_out_global) {
  std::vector<std::size_t> kept;
  for (std::size_t e = 0; e < maps.entries(); ++e) {
    std::size_t users = 0;
    for (std::size_t t = 0; t < maps.threads(); ++t) users += maps.of(t)[e] > 0 ? 1 : 0;
    const bool global = 2 * users > maps.threads();
    if (users > 1 && !(leave_out_global && global)) kept.push_back(e);
  }
  return kept;
}

}  // namespace

sharing_matrix similarities(const share_maps& maps, bool leave_out_global) {
  const std::vector<std::size_t> kept = entries_that_count(maps, leave_out_global);
  sharing_matrix similar(maps.threads());
  for (std::size_t a = 0; a < maps.threads(); ++a) {
    for (std::size_t b = a + 1; b < maps.threads(); ++b) {
      double sum = 0;
      for (const std::size_t e : kept) sum += double{1} * maps.of(a)[e] * maps.of(b)[e];
      similar.set(a, b, sum);
      similar.set(b, a, sum);
    }
  }
  return similar;
}

std::vector<std::uint32_t> clusters(const sharing_matrix& similar, double threshold) {
  std::vector<std::uint32_t> cluster_of(similar.size());
  std::vector<std::size_t> first_of;
  for (std::size_t t = 0; t < similar.size(); ++t) {
    std::size_t best = first_of.size();
    for (std::size_t c = 0; c < first_of.size(); ++c) {
      const double likeness = similar.at(t, first_of[c]);
      if (likeness < threshold) continue;
      if (best == first_of.size() || likeness > similar.at(t, first_of[best])) best = c;
    }
    if (best == first_of.size()) first_of.push_back(t);
    cluster_of[t] = static_cast<std::uint32_t>(best);
  }
  return cluster_of;
}

namespace {

/// Threads that have a place, by cluster; the largest first, then by their first thread.
std::vector<std::vector<std::size_t>> by_size(std::span<const std::uint32_t> cluster_of,
                                              std::span<const std::optional<pu_id>> present) {
  std::vector<std::vector<std::size_t>> members(cluster_of.size());
  for (std::size_t t = 0; t < cluster_of.size(); ++t) {
    if (present[t]) members[cluster_of[t]].push_back(t);
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
                     return a.size() > b.size();
                   });
  return members;
}

/// Any PU of the node: what counts threads of nodes does not ask which.
pu_id some_pu_of(node_id node, const topology& machine) {
  std::uint32_t p = 0;
  while (machine.node_of(pu_id(p)) != node) ++p;
  return pu_id(p);
}

}  // namespace

std::vector<std::optional<node_id>> nodes_for(std::span<const std::uint32_t> cluster_of,
                                              std::span<const std::optional<pu_id>> present,
                                              const topology& machine) {
  const std::size_t threads = static_cast<std::size_t>(
      std::count_if(present.begin(), present.end(),
                    [](const std::optional<pu_id>& place) { return place.has_value(); }));
  std::vector<std::optional<node_id>> nodes(present.size());
  pu_loads loads(machine);
  const auto put = [&](std::size_t thread, node_id node) {
    nodes[thread] = node;
    loads.add(some_pu_of(node, machine));
  };
  for (const std::vector<std::size_t>& members : by_size(cluster_of, present)) {
    if (members.empty()) break;
    const node_id node = loads.least_loaded_node();
    const std::size_t share =
        (threads * loads.pus_of(node) + machine.pu_count() - 1) / machine.pu_count();
    const bool fits = loads.on(node) + members.size() <= share;
    for (const std::size_t thread : members) put(thread, fits ? node : loads.least_loaded_node());
  }
  return nodes;
}

std::vector<std::optional<pu_id>> pus_for(std::span<const std::optional<node_id>> nodes,
                                          std::span<const std::optional<pu_id>> present,
                                          const topology& machine) {
  std::vector<std::optional<pu_id>> pus(nodes.size());
  pu_loads loads(machine);
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    if (!nodes[t] || !present[t] || machine.node_of(*present[t]) != *nodes[t]) continue;
    if (loads.on(*present[t]) > 0) continue;
    pus[t] = present[t];
    loads.add(*pus[t]);
  }
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    if (!nodes[t] || pus[t]) continue;
    pus[t] = loads.least_loaded(*nodes[t]);
    loads.add(*pus[t]);
  }
  return pus;
}

}  // namespace numatch::azimi
