// SPDX-License-Identifier: Apache-2.0
#include "sim/read_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sim/links.hpp"
#include "sim/read_links.hpp"

namespace numatch::sim {

namespace {

constexpr unsigned usual_latency = 40;
constexpr double usual_bytes_per_cycle = 16;

connections read_mesh(fact_reader& facts, unsigned nodes, const link_config& link) {
  const std::string text = facts.word("link.inter.dimensions", "");
  const std::vector<unsigned> dimensions = extents(text);
  std::uint64_t product = dimensions.empty() ? 0 : 1;
  for (const unsigned extent : dimensions)
    product = std::min<std::uint64_t>(product * extent, 4096);
  if (product == nodes) return mesh(dimensions, link);
  facts.complain(
      text.empty() ? std::string("link.inter.topology 'mesh' needs its dimensions")
                   : fmt::format("link.inter.dimensions '{}' does not make {} nodes", text, nodes),
      "state link.inter.dimensions, as '4x2' for 4 columns and 2 rows");
  return {};
}

/// The smallest distance to another node; nothing where the table makes no sense.
std::optional<double> nearest_distance(const topology& machine) {
  const std::uint32_t nodes = static_cast<std::uint32_t>(machine.node_count());
  double nearest = std::numeric_limits<double>::infinity();
  for (std::uint32_t a = 0; a < nodes; ++a) {
    for (std::uint32_t b = 0; b < nodes; ++b) {
      const double distance = machine.node_distance(node_id(a), node_id(b));
      if (a == b ? distance != 10 : distance <= 10) return std::nullopt;
      if (a != b) nearest = std::min(nearest, distance);
    }
  }
  return nearest;
}

connections read_matrix(fact_reader& facts, const topology& machine, const link_config& link) {
  const std::optional<double> nearest = nearest_distance(machine);
  if (!nearest) {
    facts.complain("the distances between nodes are not 10 to themselves and more to others",
                   "correct distance.nodes or state another link.inter.topology");
    return {};
  }
  const unsigned nodes = static_cast<unsigned>(machine.node_count());
  std::vector<std::vector<unsigned>> latency(nodes, std::vector<unsigned>(nodes, 0));
  for (unsigned a = 0; a < nodes; ++a) {
    for (unsigned b = 0; b < nodes; ++b) {
      if (a == b) continue;
      const double distance = machine.node_distance(node_id(a), node_id(b));
      latency[a][b] =
          facts.whole("distance.nodes", link.latency * (distance - 10) / (*nearest - 10));
    }
  }
  return full(latency, link);
}

connections connect(fact_reader& facts, const topology& machine, const link_config& link) {
  const unsigned nodes = static_cast<unsigned>(machine.node_count());
  const bool has_distances = machine.distances_known() && nearest_distance(machine);
  const std::string shape = facts.word("link.inter.topology", has_distances ? "matrix" : "ring");
  if (shape == "ring" || shape == "bidirectional ring") return ring(nodes, link);
  if (shape == "mesh") return read_mesh(facts, nodes, link);
  if (shape == "matrix") return read_matrix(facts, machine, link);
  return full({nodes, std::vector<unsigned>(nodes, link.latency)}, link);
}

/// A remote access is a request to the other node and data back.
unsigned read_latency(fact_reader& facts, const network_config& network, double bytes_per_cycle) {
  if (facts.has("link.inter.latency")) return facts.cycles("link.inter.latency", usual_latency);
  if (!facts.has("memory.local_latency") || !facts.has("memory.remote_latency")) {
    return usual_latency;
  }
  const double both = facts.cycles_of("memory.remote_latency") -
                      facts.cycles_of("memory.local_latency") -
                      transfer_of(network.control_bytes, bytes_per_cycle) -
                      transfer_of(network.data_bytes, bytes_per_cycle);
  if (both < 0) {
    facts.complain(
        "memory.remote_latency is less than memory.local_latency and a line's way over a link",
        "correct them or state link.inter.latency");
  }
  return facts.whole("memory.remote_latency", std::max(0.0, both) / 2);
}

}  // namespace

network_config read_network(fact_reader& facts, const topology& machine, unsigned line_bytes) {
  network_config network;
  network.control_bytes = static_cast<unsigned>(facts.bytes("link.control", 8));
  network.data_bytes = static_cast<unsigned>(facts.bytes("link.data", line_bytes + 8));
  if (network.data_bytes < line_bytes) facts.complain("link.data is less than a line");
  network.queueing = facts.yes("link.queueing", true);
  link_config link;
  link.bytes_per_cycle = facts.bytes_per_cycle(
      "link.inter.bandwidth", facts.bytes("link.inter.width", 0), usual_bytes_per_cycle);
  check_width(facts, "link.inter.bandwidth", network, link.bytes_per_cycle);
  link.latency = read_latency(facts, network, link.bytes_per_cycle);
  connections made = connect(facts, machine, link);
  network.links = std::move(made.links);
  network.route = std::move(made.route);
  return network;
}

}  // namespace numatch::sim
