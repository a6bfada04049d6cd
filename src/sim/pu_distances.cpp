// SPDX-License-Identifier: Apache-2.0
#include "sim/pu_distances.hpp"

#include <algorithm>
#include <vector>

#include "mapping/level_costs.hpp"
#include "sim/interconnect.hpp"

namespace numatch::sim {

namespace {

/// Cycles from a PU's side of the first cache to the first one that both use; nullopt: there is
/// none.
std::optional<double> way_inside(const machine_config& config, std::size_t a, std::size_t b) {
  double way = 0;
  for (const cache_config& cache : config.caches) {
    way += cache.latency;
    if (cache.shared.group[a] == cache.shared.group[b]) return way;
  }
  return std::nullopt;
}

double through_all_caches(const machine_config& config) {
  double way = 0;
  for (const cache_config& cache : config.caches) way += cache.latency;
  return way;
}

}  // namespace

std::optional<distance_table> pu_distances(const topology& machine, const machine_config& config) {
  const std::size_t pus = config.pus();
  const interconnect links(config.network);
  const double caches = through_all_caches(config);
  std::vector<double> cells(pus * pus, 0);
  for (std::size_t a = 0; a < pus; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const unsigned here = config.node_of_pu[a];
      const unsigned there = config.node_of_pu[b];
      // Both directions, because a description may state different links.
      const double over =
          static_cast<double>(links.control_latency(here, there) + links.data_latency(there, here) +
                              links.control_latency(there, here) + links.data_latency(here, there));
      const double far = 2 * caches + over / 2;
      const double distance = std::max(1.0, way_inside(config, a, b).value_or(far));
      cells[a * pus + b] = cells[b * pus + a] = distance;
    }
  }
  result<distance_table> made = distance_table::from_cells(pus, std::move(cells));
  if (!made || costs_by_level(machine, *made).exact) return std::nullopt;
  return *std::move(made);
}

}  // namespace numatch::sim
