// SPDX-License-Identifier: Apache-2.0
#include "open_calls.hpp"

namespace numatch {
inline namespace numa_v1 {

void pause_a_little() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void open_calls::wait() const {
  for (int i = 0; i < spins && !all_done(); ++i) pause_a_little();
  for (std::size_t left = left_.load(std::memory_order_acquire); left != 0;
       left = left_.load(std::memory_order_acquire)) {
    left_.wait(left, std::memory_order_acquire);
  }
}

}  // namespace numa_v1
}  // namespace numatch
