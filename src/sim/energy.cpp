// SPDX-License-Identifier: Apache-2.0
#include "sim/energy.hpp"

namespace numatch::sim {

void add_energy(run_result& of, const machine_config& config,
                const std::vector<std::uint64_t>& cache_accesses) {
  constexpr double nano = 1e-9;
  const energy_config& per = config.energy;
  energy_split& moving = of.dynamic_energy;
  energy_split& idle = of.static_energy;
  const auto times = [](std::uint64_t count, double joule) {
    return static_cast<double>(count) * joule;
  };
  moving.cores = times(of.instructions, per.instruction) * nano;
  for (std::size_t level = 0; level < config.caches.size(); ++level) {
    if (level < per.cache_access.size()) {
      moving.caches += times(cache_accesses[level], per.cache_access[level]) * nano;
    }
    if (level < per.cache_watt.size()) {
      idle.caches += config.caches[level].shared.count * per.cache_watt[level] * of.seconds();
    }
  }
  moving.links =
      (times(of.total_traffic(), per.link_byte) + times(of.inside_bytes, per.inside_byte)) * nano;
  moving.memory =
      (times(of.row_closed + of.row_conflicts, per.memory_activate) +
       times(of.memory_reads, per.memory_read) + times(of.memory_writes, per.memory_write)) *
      nano;
  idle.cores = config.cores.count * per.core_watt * of.seconds();
  idle.links = static_cast<double>(config.network.links.size()) * per.link_watt * of.seconds();
  idle.memory = config.nodes * per.memory_watt * of.seconds();
}

}  // namespace numatch::sim
