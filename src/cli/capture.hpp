// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/passed_signals.hpp"
#include "base/result.hpp"
#include "cli/console.hpp"
#include "trace/session.hpp"

namespace numatch::cli {

struct capture_request {
  std::string output;             ///< the trace file
  std::string frontend = "auto";  ///< or a front-end's name
  trace::filter_options filter;
  bool allocations = true;
  std::vector<std::string> command;
};

/// Runs the program and records it; draws progress. The program's own exit code (128 + signal when
/// one killed it), or an error when nothing could be recorded: then no file is left.
result<int> capture(const capture_request& wanted, const signals_held& held, console& terminal);

}  // namespace numatch::cli
