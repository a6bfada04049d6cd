// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>

namespace ring {

/// What the main thread tells the others of its process.
struct control {
  std::atomic<bool> stop{false};
  std::atomic<unsigned> phase{0};
  std::atomic<unsigned> finished{0};  ///< workers that made all their accesses
};

/// Where the threads of all processes wait for each other once. It lies in memory that forked
/// processes share. Throws std::system_error.
class start_line {
 public:
  explicit start_line(unsigned parties);
  ~start_line();
  start_line(const start_line&) = delete;
  start_line& operator=(const start_line&) = delete;

  void wait() { pthread_barrier_wait(barrier_); }

 private:
  pthread_barrier_t* barrier_ = nullptr;
};

}  // namespace ring
