// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

namespace numatch::sim {

/// Waits for another host thread's next step, which mostly takes less than a microsecond: first
/// beside it, then the processor is left to others.
class backoff {
 public:
  void wait() {
    constexpr unsigned patience = 200;
    if (waited_++ < patience) {
      __builtin_ia32_pause();
    } else {
      std::this_thread::yield();
    }
  }

 private:
  unsigned waited_ = 0;
};

}  // namespace numatch::sim
