// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "mapping/mapper.hpp"

namespace numatch {

/// Everything that a request refers to, drawn at random.
struct fuzzed_case {
  std::string spec;
  topology machine;
  distance_table distances;
  sharing_matrix sharing;
  std::vector<pu_id> allowed;
  std::vector<std::optional<pu_id>> pinned;
  std::vector<double> weights;
  std::optional<thread_mapping> current;
  fill_policy policy = fill_policy::automatic;
  double move_cost = 0;
  std::uint64_t seed = 1;

  mapping_request request() const {
    return {sharing,  machine, distances, seed,    mapping_budget::standard,
            policy,   allowed, pinned,    weights, current ? &*current : nullptr,
            move_cost};
  }
};

/// What may be in a drawn request beside machine, matrix and policy.
struct fuzzed_parts {
  bool allowed = true;
  bool pinned = true;
  bool weights = true;
  bool current = true;
};

inline std::string draw_spec() {
  const std::string folder = NUMATCH_SOURCE_DIR "/tests/topology/data/";
  return *rc::gen::element<std::string>(
      "numa:1 pu:1", "numa:2 pu:1", "numa:2 core:2 pu:2", "numa:4 core:2 pu:1",
      "numa:3 core:5 pu:1", "numa:2 core:3 pu:2", "numa:7 pu:1", "pack:2 numa:2 core:2 pu:2",
      folder + "uneven_packages.xml", folder + "restricted_cpuset.xml");
}

inline bool chance(int percent) {
  return *rc::gen::inRange(0, 100) < percent;
}

/// Sparse, dense, asymmetric, all zero; whole numbers, so that costs are exact.
inline sharing_matrix draw_sharing(std::size_t threads) {
  const int filled = *rc::gen::element(0, 10, 50, 100);
  sharing_matrix sharing(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < threads; ++j) {
      if (i != j && chance(filled)) sharing.set(i, j, *rc::gen::inRange(0, 100));
    }
  }
  return sharing;
}

inline std::vector<pu_id> draw_allowed(std::size_t pus) {
  std::vector<pu_id> allowed;
  for (std::uint32_t pu = 0; pu < pus; ++pu) {
    if (chance(60)) allowed.emplace_back(pu);
  }
  if (chance(50)) std::reverse(allowed.begin(), allowed.end());
  return allowed;
}

/// Inside a property only.
inline fuzzed_case draw_case(std::size_t most_threads, fuzzed_parts parts = {}) {
  const std::string spec = draw_spec();
  const std::size_t threads = *rc::gen::inRange<std::size_t>(1, most_threads + 1);
  topology machine = topology::load(spec).value();
  const distance_table distances(machine);
  fuzzed_case drawn{spec, std::move(machine), distances, draw_sharing(threads), {}, {}, {}, {}};
  const std::uint32_t pus = static_cast<std::uint32_t>(drawn.machine.pu_count());
  drawn.policy = *rc::gen::element(fill_policy::automatic, fill_policy::spread, fill_policy::pack);
  drawn.seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
  if (parts.allowed && chance(40)) drawn.allowed = draw_allowed(pus);
  const auto any_pu = [&] {
    return drawn.allowed.empty() ? pu_id(*rc::gen::inRange<std::uint32_t>(0, pus))
                                 : *rc::gen::elementOf(drawn.allowed);
  };
  if (parts.pinned && chance(40)) {
    drawn.pinned.resize(threads);
    for (std::optional<pu_id>& pin : drawn.pinned) {
      if (chance(30)) pin = any_pu();
    }
  }
  if (parts.weights && chance(40)) {
    for (std::size_t t = 0; t < threads; ++t) {
      drawn.weights.push_back(*rc::gen::inRange(1, 12) / 4.0);
    }
  }
  if (parts.current && chance(40)) {
    drawn.current.emplace();
    for (std::size_t t = 0; t < threads; ++t) {
      drawn.current->pu_of.emplace_back(*rc::gen::inRange<std::uint32_t>(0, pus));
    }
    drawn.move_cost = *rc::gen::inRange(0, 50);
  }
  return drawn;
}

}  // namespace numatch
