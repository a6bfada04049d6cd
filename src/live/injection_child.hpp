// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "live/owned_fd.hpp"
#include "live/syscall_injector.hpp"
#include "live/traced_task.hpp"

namespace numatch::live {

/// What the child process of an injection has to do.
struct injection_orders {
  pid_t process = 0;
  int pidfd = -1;
  pid_t task = 0;
  std::uint64_t instruction = 0;
  bool past_filter = false;
  bool take_fd = false;  ///< the only call returns a file descriptor
  std::span<const remote_call> calls;
};

/// What it did.
struct injection_reply {
  injection_trouble trouble = injection_trouble::none;
  int code = 0;               ///< errno, where there is one
  std::vector<long> answers;  ///< of the calls that were made
  owned_fd fd;
  unsigned stops = 0;
  std::uint64_t longest_stop = 0;  ///< nanoseconds
};

/// Lets a child process carry out the orders and waits for its end. An error only when there is no
/// such child.
result<injection_reply> send_child(const injection_orders& orders);

}  // namespace numatch::live
