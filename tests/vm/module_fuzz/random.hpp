// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuzz {

/// xorshift64 (Marsaglia 2003).
class random {
 public:
  explicit random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U | 1U) {}

  std::uint64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
  }
  /// 0 to `end` - 1.
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(next() >> 16U) % end; }
  bool once_in(std::size_t times) { return below(times) == 0; }
  template <typename Value, std::size_t Count>
  Value one_of(const Value (&values)[Count]) {
    return values[below(Count)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace fuzz
