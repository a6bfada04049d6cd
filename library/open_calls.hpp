// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace numatch {
inline namespace numa_v1 {

/// How often somebody who waits looks before it sleeps: long enough for an answer that is on its
/// way, short against a sleep and a wake-up.
inline constexpr int spins = 200;
void pause_a_little();

/// The calls of one run() that are not done yet.
class open_calls {
 public:
  explicit open_calls(std::size_t count) : left_(count) {}
  void one_done() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_all();
  }
  bool all_done() const { return left_.load(std::memory_order_acquire) == 0; }
  void wait() const;

 private:
  std::atomic<std::size_t> left_;
};

}  // namespace numa_v1
}  // namespace numatch
