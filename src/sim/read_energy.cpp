// SPDX-License-Identifier: Apache-2.0
#include "sim/read_energy.hpp"

#include <fmt/format.h>

namespace numatch::sim {

namespace {

struct usual_energy {
  double access;  ///< nJ
  double watt;    ///< of one cache
};

usual_energy usual(unsigned level) {
  if (level == 1) return {0.05, 0.01};
  if (level == 2) return {0.3, 0.2};
  return {1.0, 2.0};
}

}  // namespace

energy_config read_energy(const fact_reader& facts, const machine_config& machine) {
  energy_config energy;
  energy.instruction = facts.nanojoule("energy.core.instruction", 1.5);
  energy.core_watt = facts.watt("energy.core.static", 1.5);
  for (const cache_config& cache : machine.caches) {
    const std::string prefix = fmt::format("energy.cache.l{}.", cache.level);
    energy.cache_access.push_back(facts.nanojoule(prefix + "access", usual(cache.level).access));
    energy.cache_watt.push_back(facts.watt(prefix + "static", usual(cache.level).watt));
  }
  energy.link_byte = facts.nanojoule("energy.link.transfer", 0.08);
  energy.inside_byte = facts.nanojoule("energy.link.intra", 0.008);
  energy.link_watt = facts.watt("energy.link.static", 0.5);
  energy.memory_activate = facts.nanojoule("energy.memory.activate", 28.8);
  energy.memory_read = facts.nanojoule("energy.memory.read", 9.9);
  energy.memory_write = facts.nanojoule("energy.memory.write", 11.4);
  energy.memory_watt = facts.watt("energy.memory.static", 1.6);
  return energy;
}

}  // namespace numatch::sim
