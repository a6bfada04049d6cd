// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "live/observed_process.hpp"

// What /proc says about processes and tasks (proc(5)). All functions may be called at any time:
// what is gone or forbidden is nullopt.

namespace numatch::live {

/// A whole file of /proc; their length is not known before.
std::optional<std::string> read_proc(const std::string& path);

/// "/proc/PID/task/TASK/".
std::string task_folder(pid_t process, pid_t task);

/// Two fields of a task's `stat` file.
struct task_stat {
  char state = '?';  ///< R, S, D, T, t, Z, X
  std::uint64_t start_time =
      0;  ///< clock ticks since boot; with the number it names a task for good
};
std::optional<task_stat> parse_task_stat(std::string_view text);
std::optional<task_stat> read_task_stat(pid_t process, pid_t task);

/// The text after "NAME:" of a status file, without blanks around it.
std::optional<std::string_view> status_field(std::string_view status, std::string_view name);

/// Lines of a maps file; one that cannot be understood is left out.
std::vector<mapped_range> parse_mappings(std::string_view text);

}  // namespace numatch::live
