// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mechanism/world.hpp"

namespace numatch {

/// How many threads sit on every PU and node, for mechanisms that choose nodes and leave the PU
/// open. Keeps a reference to the machine.
class pu_loads {
 public:
  explicit pu_loads(const topology& machine);

  void add(pu_id pu);
  void remove(pu_id pu);
  std::size_t on(pu_id pu) const { return on_pu_[pu.index()]; }
  std::size_t on(node_id node) const { return on_node_[node.index()]; }
  std::size_t pus_of(node_id node) const { return pus_of_node_[node.index()]; }

  /// The PU of the node with the fewest threads on it, then on the PUs of the same core (the
  /// smallest part of the tree), then the lowest number; nullopt for a node without PUs.
  std::optional<pu_id> least_loaded(node_id node) const;
  /// The node with the fewest threads for each of its PUs, then the lowest number; nodes without
  /// PUs are passed over.
  node_id least_loaded_node() const;

 private:
  std::size_t beside(pu_id pu) const;

  const topology& machine_;
  std::vector<std::size_t> on_pu_;
  std::vector<std::size_t> on_node_;
  std::vector<std::size_t> pus_of_node_;
};

/// Where the threads 0 .. count - 1 run; nullopt for one that does not live or is not known.
std::vector<std::optional<pu_id>> places_of(std::size_t count, const world& where);

/// For world::move_threads(), which wants a PU for every thread: the number of a thread that has
/// no place chooses one for it.
std::vector<pu_id> with_any_place(std::span<const std::optional<pu_id>> places,
                                  const topology& machine);

}  // namespace numatch
