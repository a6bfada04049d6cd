// SPDX-License-Identifier: Apache-2.0
#include "mechanism/pu_loads.hpp"

#include <utility>

namespace numatch {

namespace {

/// topology::distance() between PUs of the same smallest part of the tree.
constexpr unsigned same_core = 2;

}  // namespace

pu_loads::pu_loads(const topology& machine)
    : machine_(machine),
      on_pu_(machine.pu_count()),
      on_node_(machine.node_count()),
      pus_of_node_(machine.node_count()) {
  for (std::uint32_t p = 0; p < machine.pu_count(); ++p) {
    ++pus_of_node_[machine.node_of(pu_id(p)).index()];
  }
}

void pu_loads::add(pu_id pu) {
  ++on_pu_[pu.index()];
  ++on_node_[machine_.node_of(pu).index()];
}

void pu_loads::remove(pu_id pu) {
  --on_pu_[pu.index()];
  --on_node_[machine_.node_of(pu).index()];
}

std::size_t pu_loads::beside(pu_id pu) const {
  std::size_t threads = 0;
  for (std::uint32_t p = 0; p < on_pu_.size(); ++p) {
    if (machine_.distance(pu, pu_id(p)) == same_core) threads += on_pu_[p];
  }
  return threads;
}

std::optional<pu_id> pu_loads::least_loaded(node_id node) const {
  std::optional<pu_id> best;
  std::pair<std::size_t, std::size_t> least;
  for (std::uint32_t p = 0; p < on_pu_.size(); ++p) {
    if (machine_.node_of(pu_id(p)) != node) continue;
    const std::pair load{on_pu_[p], beside(pu_id(p))};
    if (best && load >= least) continue;
    best = pu_id(p);
    least = load;
  }
  return best;
}

node_id pu_loads::least_loaded_node() const {
  std::size_t best = 0;
  for (std::size_t n = 1; n < on_node_.size(); ++n) {
    if (pus_of_node_[n] == 0) continue;
    // a / b < c / d, without fractions
    if (pus_of_node_[best] == 0 ||
        on_node_[n] * pus_of_node_[best] < on_node_[best] * pus_of_node_[n]) {
      best = n;
    }
  }
  return node_id(static_cast<std::uint32_t>(best));
}

std::vector<std::optional<pu_id>> places_of(std::size_t count, const world& where) {
  std::vector<std::optional<pu_id>> places(count);
  for (std::uint32_t t = 0; t < count; ++t) places[t] = where.pu_of(thread_id(t));
  return places;
}

std::vector<pu_id> with_any_place(std::span<const std::optional<pu_id>> places,
                                  const topology& machine) {
  std::vector<pu_id> pus;
  pus.reserve(places.size());
  for (std::size_t t = 0; t < places.size(); ++t) {
    pus.push_back(places[t].value_or(pu_id(static_cast<std::uint32_t>(t % machine.pu_count()))));
  }
  return pus;
}

}  // namespace numatch
