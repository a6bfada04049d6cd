// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
};

/// Starts `command` (found in PATH) and waits for its end. Thread i of the program, in the order of
/// creation, runs on plan.cpu_of_thread[i] from its first instruction on; later threads and
/// child processes run where this process may.
///
/// The program is traced (ptrace) for thread creation only: the kernel stops a new thread before it
/// runs and tells us its number, for any program, statically linked ones included. Signals to the
/// program go to the program; those that arrive here from other processes are sent on. Call it from
/// a process with one thread. Errors: the command cannot be started, tracing is forbidden.
result<pinned_outcome> run_pinned(const std::vector<std::string>& command, const pin_plan& plan);

}  // namespace numatch::live
