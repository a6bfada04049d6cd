// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <thread>

namespace numatch::cli {

/// While it lives, INT, TERM, HUP and QUIT do not end numatch but raise a flag, so that what was
/// begun can be cleaned up; those that are ignored stay so. A
/// second one ends numatch at once. Make it before other threads: they
/// inherit that the signals are held back.
class stop_on_signal {
 public:
  stop_on_signal();
  ~stop_on_signal();
  stop_on_signal(const stop_on_signal&) = delete;
  stop_on_signal& operator=(const stop_on_signal&) = delete;

  const std::atomic<bool>& stop() const { return stop_; }
  /// The signal that came first; 0: none.
  int signal() const { return signal_; }

 private:
  void watch();
  sigset_t awaited_;
  sigset_t before_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> over_ = false;
  std::atomic<int> signal_ = 0;
  std::thread watcher_;
};

}  // namespace numatch::cli
