// SPDX-License-Identifier: Apache-2.0
#include "earth_movers.hpp"

#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace imgsearch {
namespace {

constexpr double weight_steps = 1 << 20;
constexpr double distance_steps = 1 << 10;

/// In whole steps that sum up to weight_steps; what rounding leaves goes to the first.
std::vector<int> whole_steps(const std::vector<float>& weights) {
  std::vector<int> steps;
  int left = static_cast<int>(weight_steps);
  for (const float weight : weights) {
    steps.push_back(static_cast<int>(std::floor(static_cast<double>(weight) * weight_steps)));
    left -= steps.back();
  }
  steps.front() += left;
  return steps;
}

}  // namespace

double earth_movers_distance(const std::vector<float>& from, const std::vector<float>& to,
                             const std::vector<float>& distances) {
  using graph_type = lemon::SmartDigraph;
  graph_type graph;
  graph.reserveNode(static_cast<int>(from.size() + to.size()));
  graph.reserveArc(static_cast<int>(distances.size()));
  std::vector<graph_type::Node> sources;
  std::vector<graph_type::Node> targets;
  for (std::size_t i = 0; i < from.size(); ++i) sources.push_back(graph.addNode());
  for (std::size_t j = 0; j < to.size(); ++j) targets.push_back(graph.addNode());
  graph_type::NodeMap<int> supply(graph);
  const std::vector<int> given = whole_steps(from);
  const std::vector<int> taken = whole_steps(to);
  for (std::size_t i = 0; i < from.size(); ++i) supply[sources[i]] = given[i];
  for (std::size_t j = 0; j < to.size(); ++j) supply[targets[j]] = -taken[j];
  graph_type::ArcMap<std::int64_t> work(graph);
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t j = 0; j < to.size(); ++j) {
      const double way = static_cast<double>(distances[i * to.size() + j]);
      work[graph.addArc(sources[i], targets[j])] = std::llround(way * distance_steps);
    }
  }
  lemon::NetworkSimplex<graph_type, int, std::int64_t> solver(graph);
  solver.supplyMap(supply).costMap(work).run();
  return static_cast<double>(solver.totalCost<std::int64_t>()) / (weight_steps * distance_steps);
}

}  // namespace imgsearch
