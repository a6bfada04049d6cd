// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace numatch::service {

/// What a process is, for the choice which ones to manage.
struct process_facts {
  pid_t pid = 0;
  std::uint64_t start_time = 0;   ///< clock ticks since boot; with pid it is of one process alone
  std::uint64_t cpu_seconds = 0;  ///< used so far, by all its threads
  std::uint64_t threads = 0;
  std::string executable;            ///< path, as the process itself sees it
  uid_t user = 0;                    ///< real
  std::vector<std::string> cgroups;  ///< of each hierarchy: one unless cgroups are of version 1
  pid_t inner_pid = 0;               ///< in its own PID namespace; pid itself when that is ours
};

/// The numbers of all processes, ascending. `proc` is "/proc" but for tests.
std::vector<pid_t> all_processes(const std::string& proc);

/// nullopt: it is gone, a kernel thread, or nothing that this user may look at. Reads `stat` first,
/// and the rest only when the process has used `least_cpu_seconds` already: most never do.
std::optional<process_facts> read_process(const std::string& proc, pid_t pid,
                                          std::uint64_t least_cpu_seconds);

}  // namespace numatch::service
