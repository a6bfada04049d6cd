// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace numatch::sim {

/// A number that is divided by often; a power of two, as most counts in hardware, needs no
/// division.
class divisor {
 public:
  explicit divisor(std::uint64_t value)
      : value_(value),
        shift_(static_cast<unsigned>(std::countr_zero(value))),
        is_power_(std::has_single_bit(value)) {}

  struct quotient_and_rest {
    std::uint64_t quotient;
    std::uint64_t rest;
  };
  quotient_and_rest divide(std::uint64_t by_this) const {
    if (is_power_) [[likely]] {
      return {by_this >> shift_, by_this & (value_ - 1)};
    }
    return {by_this / value_, by_this % value_};
  }

 private:
  std::uint64_t value_;
  unsigned shift_;
  bool is_power_;
};

}  // namespace numatch::sim
