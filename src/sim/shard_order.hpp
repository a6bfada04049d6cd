// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/reference.hpp"

namespace numatch::sim {

/// Brings one shard's references of all lanes in the order of their estimated cycles: 256 steps of
/// a phase, inside a step in the order of the lanes, inside a lane in its own. A phase of 256
/// cycles or less has a step per cycle.
class shard_order {
 public:
  /// `lanes`: in the order that decides at the same cycle.
  void sort(std::span<lane* const> lanes, std::size_t shard, std::uint64_t phase_cycles);

  /// The references of the phase, valid until the next sort().
  std::span<const shard_reference> all() const { return sorted_; }
  /// Those of part `number` of `parts` of the phase.
  std::span<const shard_reference> part(std::size_t number, std::size_t parts) const;

 private:
  std::vector<shard_reference> sorted_;
  std::vector<std::uint32_t> place_;  ///< [step]: where its references end
};

}  // namespace numatch::sim
