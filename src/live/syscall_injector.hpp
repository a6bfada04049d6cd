// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "live/observed_process.hpp"
#include "live/owned_fd.hpp"

namespace numatch::live {

/// A system call to be made in another process.
struct remote_call {
  long number = 0;
  std::array<std::uint64_t, 6> arguments{};
  /// Copied into the program for the time of the call; arguments[data_at] becomes its address. At
  /// most 512 words.
  std::vector<std::uint64_t> data;
  unsigned data_at = 0;
};

/// What remote calls did and what they cost the program.
struct injection {
  std::vector<long> answers;       ///< the kernel's: -errno for a failure
  unsigned stops = 0;              ///< how often one of its threads was stopped
  std::uint64_t longest_stop = 0;  ///< nanoseconds, measured: from seen stopped to let go
};

/// A file descriptor that the program made for us and does not have any more.
struct taken_fd {
  owned_fd fd;
  std::uint64_t stop = 0;  ///< nanoseconds, measured
};

/// Makes system calls in a running process: one of its threads, chosen so that it is disturbed
/// least, is stopped by ptrace for the time of a few calls. See traced_task for what the thread
/// notices of it (nothing). Many calls are spread over several stops of a fraction of a
/// millisecond each.
///
/// The work is done by a short-lived child process in its own session, so that an interrupt or a
/// kill of the caller never leaves a thread half-way. Where Yama allows only ancestors to attach
/// (ptrace_scope 1), the program must have named the caller with prctl(PR_SET_PTRACER).
///
/// Errors: the process has ended, is traced already, may not be attached to, is a 32-bit program,
/// filters or dispatches its own system calls, or does not react.
class syscall_injector {
 public:
  explicit syscall_injector(const observed_process& process) : process_(process) {}

  /// Answers are in the order of the calls. An error after some of the calls says nothing about
  /// which were made.
  result<injection> run(std::span<const remote_call> calls);
  /// Makes a call that returns a new file descriptor, takes it over and closes it in the program,
  /// all in one stop. An error too when the call fails.
  result<taken_fd> take(const remote_call& call);

 private:
  const observed_process& process_;
};

}  // namespace numatch::live
