// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

namespace numatch::live {

struct child_task {
  pid_t process = 0;
  pid_t task = 0;
};

/// The tasks of a process and of all processes that descend from it, at this moment; empty when it
/// has ended.
std::vector<child_task> tasks_below(pid_t process);

/// The child processes of a process.
std::vector<pid_t> children_of(pid_t process);

}  // namespace numatch::live
