// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/console.hpp"

namespace numatch::cli {

struct system_request {
  std::string configuration = "/etc/numatch/service.toml";
  bool act = false;      ///< although the configuration is not enabled
  bool dry_run = false;  ///< although it is
  bool check = false;    ///< say what matches now, and end
};

/// `numatch run --system`: manages what a configuration names until TERM or INT; HUP reads the
/// configuration again. The exit code.
result<int> run_system(const system_request& wanted, console& terminal);

}  // namespace numatch::cli
