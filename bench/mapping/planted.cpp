// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bench/mapping/reference.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch::bench {

namespace {

using point = std::array<std::uint32_t, 3>;

/// The ways in which every level of the machine cuts its part, from the root down, as prime
/// factors.
std::vector<unsigned> cuts_of(const topology& machine) {
  std::vector<unsigned> cuts;
  for (unsigned arity : machine.arities()) {
    for (unsigned prime = 2; arity > 1; ++prime) {
      for (; arity % prime == 0; arity /= prime) cuts.push_back(prime);
    }
  }
  return cuts;
}

/// Sorts the threads so that consecutive ranges are the parts of the machine. cut k, counted from
/// the root, goes along coordinate along[k].
void lay_out(std::span<std::uint32_t> threads, std::span<const point> place,
             std::span<const unsigned> cuts, std::span<const unsigned> along) {
  if (threads.size() < 2 || cuts.empty()) return;
  const unsigned first = along.front();
  std::sort(threads.begin(), threads.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (place[a][first] != place[b][first]) return place[a][first] < place[b][first];
    return place[a] < place[b];
  });
  const std::size_t parts = cuts.front();
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t from = threads.size() * part / parts;
    const std::size_t end = threads.size() * (part + 1) / parts;
    lay_out(threads.subspan(from, end - from), place, cuts.subspan(1), along.subspan(1));
  }
}

}  // namespace

found_mapping best_planted(const mapping_request& request, std::span<const point> place) {
  constexpr std::size_t most_tries = 4096;
  const std::size_t threads = place.size();
  const std::size_t pus = request.machine.pu_count();
  const std::vector<unsigned> cuts = cuts_of(request.machine);
  unsigned dimensions = 1;
  for (const point& p : place) {
    if (p[1] > 0) dimensions = std::max(dimensions, 2U);
    if (p[2] > 0) dimensions = 3;
  }
  const double ways = std::pow(dimensions, static_cast<double>(cuts.size()));
  const std::size_t tries = static_cast<std::size_t>(std::min<double>(most_tries, ways));
  const sharing_graph graph(request.sharing);
  found_mapping best{{}, std::numeric_limits<double>::infinity(), "planted"};
  std::vector<unsigned> along(cuts.size());
  std::vector<std::uint32_t> order(threads);
  thread_mapping mapping;
  mapping.pu_of.resize(threads);
  for (std::size_t attempt = 0; attempt < tries; ++attempt) {
    // With too many ways to try all, numbers spread evenly over them stand for the rest.
    std::size_t digits = static_cast<std::size_t>(static_cast<double>(attempt) *
                                                  (ways / static_cast<double>(tries)));
    for (unsigned& axis : along) {
      axis = static_cast<unsigned>(digits % dimensions);
      digits /= dimensions;
    }
    std::iota(order.begin(), order.end(), 0U);
    lay_out(order, place, cuts, along);
    for (std::size_t i = 0; i < threads; ++i) {
      const std::size_t pu = threads < pus ? i : i * pus / threads;
      mapping.pu_of[order[i]] = pu_id(static_cast<std::uint32_t>(pu));
    }
    double cost = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      for (const sharing_graph::edge& e : graph.edges_of(t)) {
        cost += e.weight * request.distances.at(mapping.pu_of[t], mapping.pu_of[e.to]) / 2;
      }
    }
    if (cost < best.cost) {
      best.cost = cost;
      best.mapping = mapping;
    }
  }
  if (best.mapping.pu_of.size() == threads) {
    best.cost = mapping_cost(request.sharing, best.mapping, request.distances);
  }
  return best;
}

}  // namespace numatch::bench
