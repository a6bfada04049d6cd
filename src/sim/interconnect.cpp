// SPDX-License-Identifier: Apache-2.0
#include "sim/interconnect.hpp"

#include <algorithm>
#include <cmath>

namespace numatch::sim {

namespace {

std::uint32_t cycles_for(unsigned bytes, double bytes_per_cycle) {
  return static_cast<std::uint32_t>(std::max(1.0, std::ceil(bytes / bytes_per_cycle)));
}

}  // namespace

interconnect::interconnect(const network_config& config)
    : queueing_(config.queueing),
      nodes_(static_cast<unsigned>(config.route.size())),
      ways_(std::size_t{nodes_} * nodes_) {
  for (const link_config& link : config.links) {
    links_.push_back({link.latency,
                      {cycles_for(config.control_bytes, link.bytes_per_cycle),
                       cycles_for(config.data_bytes, link.bytes_per_cycle)},
                      calendar()});
  }
  const std::uint32_t no_link = static_cast<std::uint32_t>(links_.size());
  links_.emplace_back();
  std::size_t longest = 0;
  for (const std::vector<std::vector<unsigned>>& from : config.route) {
    for (const std::vector<unsigned>& route : from) longest = std::max(longest, route.size());
  }
  // Where ways are short all get the same length, because a processor foresees that.
  constexpr std::size_t short_way = 2;
  const std::size_t shortest = longest <= short_way ? longest : 0;
  for (unsigned from = 0; from < nodes_; ++from) {
    for (unsigned to = 0; to < nodes_; ++to) {
      way& made = ways_[from * nodes_ + to];
      made.begin = static_cast<std::uint32_t>(hops_.size());
      if (from != to) {
        const std::vector<unsigned>& route = config.route[from][to];
        hops_.insert(hops_.end(), route.begin(), route.end());
        const std::uint32_t links = static_cast<std::uint32_t>(route.size());
        made.bytes = {links * config.control_bytes, links * config.data_bytes};
        std::uint32_t latency = 0;
        for (const unsigned number : route) latency += links_[number].latency;
        for (const message kind : {control, data}) {
          made.tail[kind] = links_[route.back()].cycles[kind] - 1;
          made.quiet[kind] = latency + made.tail[kind];
        }
      }
      const std::size_t length = std::max(shortest, hops_.size() - made.begin);
      hops_.resize(made.begin + length, no_link);
      made.length = static_cast<std::uint32_t>(length);
    }
  }
}

}  // namespace numatch::sim
