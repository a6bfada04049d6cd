// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "numatch/numa/function_ref.hpp"

namespace numatch {
inline namespace numa_v1 {

/// 0..count in pieces that several threads take one by one.
class shared_range {
 public:
  shared_range(std::size_t count, std::size_t grain,
               function_ref<void(std::size_t, std::size_t)> piece)
      : count_(count), grain_(grain), piece_(piece) {}

  bool has_more() const { return next_.load(std::memory_order_relaxed) < count_; }
  /// Works until nothing is left to take; others may still be working on what they took.
  void work() {
    for (;;) {
      const std::size_t first = next_.fetch_add(grain_, std::memory_order_relaxed);
      if (first >= count_) return;
      piece_(first, std::min(count_, first + grain_));
    }
  }

 private:
  const std::size_t count_;
  const std::size_t grain_;
  const function_ref<void(std::size_t, std::size_t)> piece_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace numa_v1
}  // namespace numatch
