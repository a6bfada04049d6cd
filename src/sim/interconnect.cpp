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
                      {calendar::stretch(cycles_for(config.control_bytes, link.bytes_per_cycle)),
                       calendar::stretch(cycles_for(config.data_bytes, link.bytes_per_cycle))},
                      calendar()});
  }
  links_.emplace_back();
  for (const std::vector<std::vector<unsigned>>& from : config.route) {
    for (const std::vector<unsigned>& route : from) longest_ = std::max(longest_, route.size());
  }
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
          made.tail[kind] = links_[route.back()].occupied[kind].length - 1;
          made.quiet[kind] = latency + made.tail[kind];
        }
      }
      made.length = static_cast<std::uint32_t>(hops_.size() - made.begin);
      made.links.fill(&links_.back());
      for (std::size_t i = 0; longest_ <= short_way && i < made.length; ++i) {
        made.links[i] = &links_[hops_[made.begin + i]];
      }
    }
  }
}

}  // namespace numatch::sim
