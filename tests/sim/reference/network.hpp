// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine_config.hpp"
#include "sim/reference/calendar.hpp"
#include "sim/reference/moment.hpp"
#include "sim/result.hpp"

namespace numatch::sim::ref {

struct message {
  traffic why = traffic::request;
  unsigned from = 0;  ///< node or stop
  unsigned to = 0;
  std::uint64_t bytes = 0;
  moment sent, arrived;
};

/// The links between nodes, or between the stops of a chip.
class network {
 public:
  explicit network(const network_config& config) : config_(config), links_(config.links.size()) {}

  /// Sends a message; returns when it has arrived.
  moment control(traffic why, unsigned from, unsigned to, moment at) {
    return send(why, from, to, config_.control_bytes, at);
  }
  moment data(traffic why, unsigned from, unsigned to, moment at) {
    return send(why, from, to, config_.data_bytes, at);
  }

  /// What went over one link.
  struct link_use {
    std::array<std::uint64_t, traffic_classes> bytes{};
    std::uint64_t occupied = 0;  ///< cycles
    calendar busy;
  };
  const std::vector<link_use>& links() const { return links_; }
  /// In the order of sending, those that stay in a node, too.
  const std::vector<message>& messages() const { return messages_; }
  /// Links that the message takes.
  std::size_t hops(const message& sent) const { return config_.route[sent.from][sent.to].size(); }

 private:
  moment send(traffic why, unsigned from, unsigned to, std::uint64_t bytes, moment at);

  const network_config& config_;
  std::vector<link_use> links_;
  std::vector<message> messages_;
};

}  // namespace numatch::sim::ref
