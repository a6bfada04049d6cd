// SPDX-License-Identifier: Apache-2.0
#include "sim/interconnect.hpp"

#include <cmath>

namespace numatch::sim {

namespace {

std::uint32_t cycles_for(unsigned bytes, double bytes_per_cycle) {
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(bytes / bytes_per_cycle)));
}

}  // namespace

interconnect::interconnect(const network_config& config, unsigned nodes)
    : config_(config), nodes_(nodes) {
  for (const link_config& link : config.links) {
    links_.push_back({link.latency, cycles_for(config.control_bytes, link.bytes_per_cycle),
                      cycles_for(config.data_bytes, link.bytes_per_cycle), calendar()});
  }
  routes_.resize(std::size_t{nodes} * nodes);
  quiet_control_.resize(std::size_t{nodes} * nodes);
  quiet_data_.resize(std::size_t{nodes} * nodes);
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      if (from == to) continue;
      const std::vector<unsigned>& route = config.route[from][to];
      routes_[from * nodes + to] = {static_cast<std::uint32_t>(hops_.size()),
                                    static_cast<std::uint32_t>(route.size())};
      hops_.insert(hops_.end(), route.begin(), route.end());
      std::uint64_t way = 0;
      for (const unsigned number : route) way += links_[number].latency;
      const link_state& last = links_[route.back()];
      quiet_control_[from * nodes + to] = way + last.control_cycles - 1;
      quiet_data_[from * nodes + to] = way + last.data_cycles - 1;
    }
  }
}

}  // namespace numatch::sim
