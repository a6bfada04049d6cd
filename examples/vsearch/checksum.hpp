// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "neighbours.hpp"

namespace vsearch {

/// Of answers, so that two runs can be compared at a glance.
class checksum {
 public:
  void add(const std::vector<neighbour>& answer) {
    for (const neighbour& found : answer) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &found.distance, sizeof bits);
      sum_ = (sum_ ^ bits ^ (std::uint64_t{found.number} << 32)) * 0x9e3779b97f4a7c15u;
    }
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace vsearch
