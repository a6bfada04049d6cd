// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace numatch::sim::ref {

/// A time on two clocks: the true one, and the one of a machine in which nobody else uses links and
/// memory. Their difference is what queueing costs.
struct moment {
  std::uint64_t cycle = 0;
  std::uint64_t unqueued = 0;

  moment plus(std::uint64_t cycles) const { return {cycle + cycles, unqueued + cycles}; }
};

inline moment later(moment a, moment b) {
  return {std::max(a.cycle, b.cycle), std::max(a.unqueued, b.unqueued)};
}

}  // namespace numatch::sim::ref
