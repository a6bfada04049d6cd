// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/pin_plan.hpp"

namespace numatch::live {

/// How a program that was run with pinned threads ended.
struct pinned_outcome {
  int exit_code = 0;        ///< its own, or 128 + the signal that ended it
  std::size_t threads = 0;  ///< started by the program itself (after its last exec)
  std::size_t refused = 0;  ///< that the system did not let us pin
  int signal = 0;           ///< that ended it; 0: it ended by itself
  // Measured, the program and its child processes together, from before its exec to its end.
  double seconds = 0;      ///< wall time
  double cpu_seconds = 0;  ///< processor time, user and system
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;  ///< that waited for a disk
};

/// What else the program is started with.
struct start_wishes {
  // Descriptors that become the program's standard ones; -1: it has ours.
  int input = -1;
  int output = -1;
  int errors = -1;
  /// Called when the program has its process but has not begun; what it opens for this process
  /// sees the program whole.
  std::function<void(pid_t program)> before_begin;
};

/// Starts `command` (found in PATH) and waits for its end. Thread i of the program, in the order of
/// creation, runs on plan.cpu_of_thread[i] from its first instruction on; later threads and
/// child processes run where this process may.
///
/// The program is traced (ptrace) for thread creation only: the kernel stops a new thread before it
/// runs and tells us its number, for any program, statically linked ones included. Signals to the
/// program go to the program; those that arrive here from other processes are sent on. Call it from
/// a process with one thread. Errors: the command cannot be started, tracing is forbidden.
result<pinned_outcome> run_pinned(const std::vector<std::string>& command, const pin_plan& plan,
                                  const start_wishes& wishes = {});

}  // namespace numatch::live
