// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/calendar.hpp"
#include "sim/machine_config.hpp"
#include "sim/result.hpp"

namespace numatch::sim {

/// Links between the nodes of a machine or the stops of a chip: when messages arrive, and what the
/// links carry.
class interconnect {
 public:
  explicit interconnect(const network_config& config);
  interconnect(const interconnect&) = delete;  // ways point to links
  interconnect& operator=(const interconnect&) = delete;
  interconnect(interconnect&&) = default;
  interconnect& operator=(interconnect&&) = default;

  /// A message sent at `when`; returns its arrival.
  std::uint64_t send_control(unsigned from, unsigned to, std::uint64_t when, traffic why) {
    return send(from, to, when, why, control);
  }
  std::uint64_t send_data(unsigned from, unsigned to, std::uint64_t when, traffic why) {
    return send(from, to, when, why, data);
  }
  /// How long it takes when every link is free.
  std::uint64_t control_latency(unsigned from, unsigned to) const {
    return ways_[from * nodes_ + to].quiet[control];
  }
  std::uint64_t data_latency(unsigned from, unsigned to) const {
    return ways_[from * nodes_ + to].quiet[data];
  }
  /// What links have carried so far: bytes × hops.
  const std::array<std::uint64_t, traffic_classes>& traffic_bytes() const { return bytes_; }

 private:
  enum message : std::size_t { control, data, messages };

  struct link_state {
    std::uint32_t latency = 0;
    std::array<calendar::stretch, messages> occupied;  ///< by a message
    calendar taken;

    /// When a message that comes to the link at `when` is at its end.
    std::uint64_t pass(std::uint64_t when, message kind) {
      return taken.reserve(when, occupied[kind]) + latency;
    }
  };
  static constexpr std::size_t short_way = 2;
  /// From one node to another.
  struct way {
    std::array<link_state*, short_way> links{};  ///< where no way is longer
    std::uint32_t begin = 0;                     ///< of its links in hops_
    std::uint32_t length = 0;
    std::array<std::uint32_t, messages> tail{};   ///< cycles of the last link − 1
    std::array<std::uint32_t, messages> bytes{};  ///< of the message × links
    std::array<std::uint32_t, messages> quiet{};
  };

  std::uint64_t send(unsigned from, unsigned to, std::uint64_t when, traffic why, message kind) {
    const way& by = ways_[from * nodes_ + to];
    bytes_[static_cast<std::size_t>(why)] += by.bytes[kind];
    if (!queueing_) return when + by.quiet[kind];
    if (longest_ <= short_way) [[likely]] {
      // All go the longest way's number of links, because a processor foresees that.
      if (longest_ > 0) when = by.links[0]->pass(when, kind);
      if (longest_ > 1) when = by.links[1]->pass(when, kind);
    } else {
      for (std::uint32_t i = 0; i < by.length; ++i) {
        when = links_[hops_[by.begin + i]].pass(when, kind);
      }
    }
    return when + by.tail[kind];
  }

  bool queueing_;
  std::size_t longest_ = 0;  ///< way, in links
  unsigned nodes_;
  std::vector<link_state> links_;  ///< the last one stands for no link: it takes no time
  std::vector<std::uint32_t> hops_;
  std::vector<way> ways_;  ///< [from × nodes + to]
  std::array<std::uint64_t, traffic_classes> bytes_{};
};

}  // namespace numatch::sim
