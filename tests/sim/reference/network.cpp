// SPDX-License-Identifier: Apache-2.0
#include "sim/reference/network.hpp"

#include <cmath>

namespace numatch::sim::ref {

moment network::send(traffic why, unsigned from, unsigned to, std::uint64_t bytes, moment at) {
  moment now = at;
  std::uint64_t occupied = 1;  // no link: nothing to wait for
  for (const unsigned number : config_.route[from][to]) {
    const link_config& link = config_.links[number];
    link_use& use = links_[number];
    occupied =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) / link.bytes_per_cycle));
    if (config_.queueing) now.cycle = use.busy.reserve(now.cycle, occupied);
    use.bytes[static_cast<std::size_t>(why)] += bytes;
    use.occupied += occupied;
    now = now.plus(link.latency);
  }
  now = now.plus(occupied - 1);
  messages_.push_back({why, from, to, bytes, at, now});
  return now;
}

}  // namespace numatch::sim::ref
