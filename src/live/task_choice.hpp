// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "live/observed_process.hpp"

namespace numatch::live {

/// How little it disturbs a task to be stopped for a moment; smaller is better.
enum class stop_manners : int {
  in_user_space,  ///< nothing happens to it
  restarts,       ///< its system call is restarted by the kernel with what is left of its time
  starts_anew,    ///< its system call is made again, with the whole of its time limit
  stopped,        ///< it is part of a stopped job, or traced
  unfit           ///< has ended, or waits where it cannot be stopped
};

/// `state`: of the task's stat file; `system_call`: its syscall file, "running" or "NUMBER
/// ARGUMENTS".
stop_manners manners_of(char state, std::string_view system_call);

/// Tasks in which a system call can be made, those first that are disturbed least; looks at no more
/// than 64 of them. An error when there is none.
result<std::vector<pid_t>> tasks_to_stop(const observed_process& process);

}  // namespace numatch::live
