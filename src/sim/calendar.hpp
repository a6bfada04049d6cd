// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace numatch::sim {

/// The cycles at which something (a link, a bank, a bus) is taken, one bit each, for the last
/// `window` cycles. Reservations need not come in the order of their cycles: what is asked for
/// later may use an earlier gap. What is older than the window is taken for free; what would have
/// to wait for longer than the window starts at its end.
class calendar {
 public:
  static constexpr std::uint64_t window = 8192;

  /// So many cycles in a row, prepared for reserve().
  struct stretch {
    stretch() = default;
    explicit stretch(std::uint32_t cycles)
        : bits(cycles < 64 ? (std::uint64_t{1} << cycles) - 1 : ~std::uint64_t{0}),
          length(cycles) {}
    std::uint64_t bits = 0;  ///< length of them, 64 at most
    std::uint32_t length = 0;
  };

  /// The first cycle from `arrival` on from which so many cycles in a row are free; they are taken
  /// then. A length of 0 takes nothing and gives `arrival`.
  std::uint64_t reserve(std::uint64_t arrival, const stretch& wanted) {
    // Mostly it is free at once and lies in one word. Whether the word still holds earlier cycles
    // is a matter of chance, so that is no branch.
    const std::uint64_t number = arrival / 64;
    const unsigned first = static_cast<unsigned>(arrival % 64);
    if (first + wanted.length <= 63) [[likely]] {
      word& w = words_[number & mask];
      const std::uint64_t bits = wanted.bits << first;
      const std::uint64_t taken = w.bits & -static_cast<std::uint64_t>(w.number == number);
      if (w.number <= number && (taken & bits) == 0) [[likely]] {
        w = {number, taken | bits};
        return arrival;
      }
    }
    return search(arrival, wanted.length);
  }
  std::uint64_t reserve(std::uint64_t arrival, std::uint32_t length) {
    return reserve(arrival, stretch(length));
  }

 private:
  static constexpr std::size_t words = window / 64;
  static constexpr std::uint64_t mask = words - 1;
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  struct word {
    std::uint64_t number = 0;  ///< cycle / 64 that the bits are of
    std::uint64_t bits = 0;
  };

  [[gnu::noinline]] std::uint64_t search(std::uint64_t arrival, std::uint32_t length) {
    if (length == 0) return arrival;
    std::uint64_t start = arrival;
    const std::uint64_t limit = arrival + (words - 2) * 64 - length;
    while (start < limit) {
      const std::uint64_t busy = last_busy(start, length);
      if (busy == nothing) break;
      start = first_free(busy + 1);
    }
    take(start, length);
    return start;
  }

  std::uint64_t bits_of(std::uint64_t number) const {
    const word& w = words_[number & mask];
    return w.number == number ? w.bits : 0;
  }

  /// The last taken cycle of start … start + length − 1.
  std::uint64_t last_busy(std::uint64_t start, std::uint32_t length) const {
    const std::uint64_t end = start + length;  // one past
    for (std::uint64_t number = (end - 1) / 64;; --number) {
      std::uint64_t bits = bits_of(number);
      if (bits != 0) {
        const std::uint64_t first = number * 64;
        if (end < first + 64) bits &= (std::uint64_t{1} << (end - first)) - 1;
        if (start > first) bits &= ~std::uint64_t{0} << (start - first);
        if (bits != 0) return first + 63 - static_cast<unsigned>(std::countl_zero(bits));
      }
      if (number <= start / 64) return nothing;
    }
  }

  std::uint64_t first_free(std::uint64_t from) const {
    std::uint64_t number = from / 64;
    std::uint64_t free = ~bits_of(number) & (~std::uint64_t{0} << (from % 64));
    while (free == 0) free = ~bits_of(++number);
    return number * 64 + static_cast<unsigned>(std::countr_zero(free));
  }

  void take(std::uint64_t start, std::uint32_t length) {
    const std::uint64_t end = start + length;
    for (std::uint64_t number = start / 64; number * 64 < end; ++number) {
      word& w = words_[number & mask];
      if (w.number > number) continue;  // too old to remember
      if (w.number < number) w = {number, 0};
      const std::uint64_t first = number * 64;
      std::uint64_t bits = ~std::uint64_t{0};
      if (start > first) bits &= ~std::uint64_t{0} << (start - first);
      if (end < first + 64) bits &= (std::uint64_t{1} << (end - first)) - 1;
      w.bits |= bits;
    }
  }

  std::array<word, words> words_{};
};

}  // namespace numatch::sim
