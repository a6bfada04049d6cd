// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/calendar.hpp"
#include "sim/machine_config.hpp"
#include "sim/result.hpp"

namespace numatch::sim {

/// The links between nodes: when messages arrive, and what they carry.
class interconnect {
 public:
  explicit interconnect(const network_config& config, unsigned nodes);

  /// A message sent at `when`; returns its arrival.
  std::uint64_t send_control(unsigned from, unsigned to, std::uint64_t when, traffic why) {
    return send(from, to, when, why, config_.control_bytes, &link_state::control_cycles);
  }
  std::uint64_t send_data(unsigned from, unsigned to, std::uint64_t when, traffic why) {
    return send(from, to, when, why, config_.data_bytes, &link_state::data_cycles);
  }
  /// How long it takes when every link is free.
  std::uint64_t control_latency(unsigned from, unsigned to) const {
    return quiet_control_[from * nodes_ + to];
  }
  std::uint64_t data_latency(unsigned from, unsigned to) const {
    return quiet_data_[from * nodes_ + to];
  }
  /// Bytes × hops so far.
  const std::array<std::uint64_t, traffic_classes>& traffic_bytes() const { return bytes_; }

 private:
  struct link_state {
    std::uint32_t latency = 0;
    std::uint32_t control_cycles = 1;
    std::uint32_t data_cycles = 1;
    calendar taken;
  };

  std::uint64_t send(unsigned from, unsigned to, std::uint64_t when, traffic why, unsigned bytes,
                     std::uint32_t link_state::* cycles) {
    if (from == to) return when;
    const route_place way = routes_[from * nodes_ + to];
    bytes_[static_cast<std::size_t>(why)] += std::uint64_t{bytes} * way.length;
    std::uint32_t occupied = 1;
    for (std::uint32_t i = 0; i < way.length; ++i) {
      link_state& link = links_[hops_[way.begin + i]];
      occupied = link.*cycles;
      if (config_.queueing) when = link.taken.reserve(when, occupied);
      when += link.latency;
    }
    return when + occupied - 1;
  }

  /// Where a route lies in hops_.
  struct route_place {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
  };

  network_config config_;
  unsigned nodes_;
  std::vector<link_state> links_;
  std::vector<route_place> routes_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint64_t> quiet_control_;
  std::vector<std::uint64_t> quiet_data_;
  std::array<std::uint64_t, traffic_classes> bytes_{};
};

}  // namespace numatch::sim
