// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/machine_config.hpp"

// How nodes can be connected: the links and the way that messages take. `link` gives latency and
// width of every link.

namespace numatch::sim {

struct connections {
  std::vector<link_config> links;
  std::vector<std::vector<std::vector<unsigned>>> route;  ///< as in network_config
};

/// Both directions between neighbours and between the last and the first node. The shorter way; of
/// two equal ones that towards lower numbers (0 goes down to the last node).
connections ring(unsigned nodes, const link_config& link);

/// A grid of any number of dimensions, whose product is the number of nodes; the first one counts
/// fastest. A message goes the whole way in the first dimension, then in the next.
connections mesh(const std::vector<unsigned>& dimensions, const link_config& link);

/// A link of its own for every pair and direction; latency[from][to] of each.
connections full(const std::vector<std::vector<unsigned>>& latency, const link_config& link);

}  // namespace numatch::sim
