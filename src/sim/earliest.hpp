// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace numatch::sim {

/// Which of n lanes comes next: a tournament of the cycles, the lower number first at the same one.
/// A change costs log2(n) comparisons without a branch. Cycles below 2^48, numbers below 2^16.
class earliest {
 public:
  /// n lanes that have nothing to do.
  void reset(std::size_t n) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(n, 1));
    best_.assign(2 * leaves_, nothing);
  }
  void set(std::size_t lane, std::uint64_t cycle) { play(lane, cycle << lane_bits | lane); }
  void remove(std::size_t lane) { play(lane, nothing); }

  bool empty() const { return best_[1] == nothing; }
  std::size_t lane() const { return best_[1] & lane_mask; }

 private:
  static constexpr unsigned lane_bits = 16;
  static constexpr std::uint64_t lane_mask = (std::uint64_t{1} << lane_bits) - 1;
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};

  void play(std::size_t lane, std::uint64_t key) {
    std::size_t at = leaves_ + lane;
    best_[at] = key;
    for (; at > 1; at /= 2) {
      key = std::min(key, best_[at ^ 1]);
      best_[at / 2] = key;
    }
  }

  std::size_t leaves_ = 1;
  std::vector<std::uint64_t> best_;  ///< [1] the winner; [k] of [2k] and [2k + 1]
};

}  // namespace numatch::sim
