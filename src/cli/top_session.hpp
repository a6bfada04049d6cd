// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "live/sensing.hpp"

namespace numatch::cli {

struct top_request {
  pid_t pid = 0;                     ///< 0: run `command`, or look at the whole machine
  std::vector<std::string> command;  ///< empty: observe `pid`, or the machine
  std::string sensor = "auto";
  live::sensing_options sensing{};
  double seconds = 2;  ///< between two pictures
  bool once = false;
  bool json = false;
};

/// `numatch top`. The exit code; a command's own.
result<int> show_top(const top_request& wanted, console& terminal);

}  // namespace numatch::cli
