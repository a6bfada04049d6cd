// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace ring {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class random {
 public:
  random(std::uint64_t seed, std::uint64_t stream)
      : state_(seed ^ (stream * 0xd1342543de82ef95U)) {}

  std::uint64_t next() {
    std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15U);
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }
  /// 0 <= result < bound, for bounds far below 2^32.
  std::size_t below(std::size_t bound) { return ((next() >> 32U) * bound) >> 32U; }

 private:
  std::uint64_t state_;
};

/// 0 .. count - 1 in a random order.
inline std::vector<unsigned> shuffled(unsigned count, random& source) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (unsigned left = count; left > 1; --left) {
    std::swap(order[left - 1], order[source.below(left)]);
  }
  return order;
}

}  // namespace ring
