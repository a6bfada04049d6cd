// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/fact_reader.hpp"
#include "sim/machine_config.hpp"
#include "topology/topology.hpp"

namespace numatch::sim {

/// Links and routes between the nodes. Without link.inter.topology: "matrix" where the machine
/// states distances, a ring where it does not. Without link.inter.latency the links of a request
/// and its data make up the difference of memory.remote_latency and memory.local_latency. Errors
/// are left with the reader: dimensions that do not fit, distances that make no sense.
network_config read_network(fact_reader& facts, const topology& machine, unsigned line_bytes);

}  // namespace numatch::sim
