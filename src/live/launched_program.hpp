// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/launch_guard.hpp"

namespace numatch::live {

/// A program that we start and that waits before its first instruction until it is let go, so that
/// nothing of it is missed. When this process is killed before that, the program ends, too: it
/// never stays behind stopped. Call from a process with one thread, before signals are held back.
class launched_program {
 public:
  /// Found in PATH. An error when it cannot be started.
  static result<launched_program> start(const std::vector<std::string>& command);
  launched_program(launched_program&& other) noexcept;
  launched_program& operator=(launched_program&& other) noexcept;
  /// One that was not let go never was, and is ended; one that runs goes on.
  ~launched_program();

  pid_t pid() const { return pid_; }
  bool is_let_go() const { return let_go_; }
  void let_go();
  /// Waits for its end. Its exit code, or 128 + the signal that ended it.
  int wait();

 private:
  explicit launched_program(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
  bool let_go_ = false;
  launch_guard guard_;
};

}  // namespace numatch::live
