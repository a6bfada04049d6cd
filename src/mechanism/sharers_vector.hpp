// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace numatch {

/// The last threads that used a page, most recent first: LAPT's communication vector (section
/// III-A) and SAMMU's sharers vector (section 2.3).
class sharers_vector {
 public:
  static constexpr std::size_t max_length = 16;

  std::span<const std::uint16_t> ids() const { return {ids_.data(), used_}; }

  /// Shifts the ids and puts `id` in front; the oldest one drops out beyond `length`. With
  /// `move_to_front` an id that is already there is taken from its place instead, so that no id is
  /// there twice.
  void insert(std::uint16_t id, std::size_t length, bool move_to_front) {
    std::uint16_t* const begin = ids_.data();
    std::uint16_t* const end = begin + used_;
    std::uint16_t* gap = move_to_front ? std::find(begin, end, id) : end;
    if (gap == end) {
      if (used_ < length) ++used_;
      gap = begin + used_ - 1;
    }
    std::copy_backward(begin, gap, gap + 1);
    *begin = id;
  }

  /// As a zero-filled table looks to hardware that knows no empty slot: thread 0 everywhere.
  void fill_with_zero(std::size_t length) {
    ids_.fill(0);
    used_ = static_cast<std::uint8_t>(length);
  }
  bool empty() const { return used_ == 0; }

 private:
  std::array<std::uint16_t, max_length> ids_{};
  std::uint8_t used_ = 0;
};

}  // namespace numatch
