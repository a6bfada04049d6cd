// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "live/profile_live.hpp"

namespace numatch::cli {

struct live_request {
  pid_t pid = 0;                     ///< 0: run `command`
  std::vector<std::string> command;  ///< empty: observe `pid`
  live::live_profile_options options;
  double budget_percent = 2;
  std::string output;  ///< empty: the program's name with .nmp
  bool json = false;
};

/// `numatch profile -p PID` and `numatch profile -- CMD`. The exit code; a command's own.
result<int> profile_live(const live_request& wanted, console& terminal);

}  // namespace numatch::cli
