// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/result.hpp"
#include "live/owned_fd.hpp"

namespace numatch::live {

/// Takes care that a program which waits stopped for its start never waits for ever: a small
/// process in its own session that alone decides. Told to let the program go, it continues it; when
/// its owner ends without a word, however that comes, it ends the program, which never began.
/// To be made while the program is still traced and ends with its tracer.
class launch_guard {
 public:
  /// No guard: there is nothing to decide.
  launch_guard() = default;
  static result<launch_guard> start(pid_t program);
  launch_guard(launch_guard&& other) noexcept;
  launch_guard& operator=(launch_guard&& other) noexcept;
  /// As ended without a word.
  ~launch_guard();

  /// The program goes on when this returns.
  void let_go();

 private:
  launch_guard(owned_fd orders, pid_t guard, pid_t program)
      : orders_(std::move(orders)), guard_(guard), program_(program) {}
  int wait();
  owned_fd orders_;
  pid_t guard_ = 0;
  pid_t program_ = 0;
};

}  // namespace numatch::live
