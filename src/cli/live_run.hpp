// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "control/run_control.hpp"

namespace numatch::cli {

struct run_request {
  std::vector<pid_t> pids;           ///< empty: run `command`; several are managed as one
  std::vector<std::string> command;  ///< empty: manage `pids`
  control::run_options options;
  double budget_percent = 2;
  double page_megabytes = 256;  ///< MiB per second
  std::string log;              ///< empty: none
  std::string metrics;          ///< a file, or an address to listen at; empty: none
  bool json = false;
};

/// `numatch run`. The exit code; a command's own.
result<int> run_live(const run_request& wanted, console& terminal);

}  // namespace numatch::cli
