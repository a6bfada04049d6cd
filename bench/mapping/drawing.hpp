// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace numatch::bench {

/// Random numbers that are the same with every C++ library: the standard fixes its engines, but not
/// its distributions.
class drawing {
 public:
  explicit drawing(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  /// 0 .. n - 1; n ≥ 1.
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  /// low .. high, both included, as a weight.
  double weight(std::uint64_t low, std::uint64_t high) {
    return static_cast<double>(low + below(high - low + 1));
  }
  /// 0 ≤ x < 1 with 53 bits.
  double unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }
  /// 0 .. n - 1 in random order.
  std::vector<std::uint32_t> order(std::size_t n) {
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0U);
    shuffle(all);
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace numatch::bench
