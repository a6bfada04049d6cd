// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace npb {

/// The generator of the NAS Parallel Benchmarks (RNR-94-007, section 2.3):
/// x(k+1) = a x(k) mod 2^46 with a = 5^13, and the number is x(k+1) / 2^46, in (0, 1).
class random_numbers {
 public:
  static constexpr std::uint64_t multiplier = 1220703125;  // 5^13

  explicit random_numbers(std::uint64_t seed) : x_(seed) {}

  double next() {
    x_ = times(multiplier, x_);
    return static_cast<double>(x_) * 0x1p-46;
  }

  /// Leaves out the next `count` numbers: x times a^count, by squaring.
  void skip(std::uint64_t count) {
    std::uint64_t power = multiplier;
    for (; count != 0; count /= 2) {
      if (count % 2 == 1) x_ = times(power, x_);
      power = times(power, power);
    }
  }

 private:
  /// The lower 46 bits of a product are among the lower 64, which unsigned arithmetic keeps.
  static std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return a * b & ((std::uint64_t{1} << 46) - 1);
  }

  std::uint64_t x_;
};

}  // namespace npb
