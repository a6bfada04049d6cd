// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "trace/session.hpp"

namespace numatch::cli {

/// The half of the verb `trace` that records a program. The verb binds the options, and calls run()
/// when none of its sub-commands was named.
class capture_command {
 public:
  void options(CLI::App& app);
  /// The program's own exit code (128 + signal when one killed it), or an error when nothing could
  /// be recorded.
  result<int> run(console& terminal) const;

 private:
  result<trace::filter_options> filter() const;
  std::string output_ = "numatch.nmt";
  std::string frontend_ = "auto";
  std::string filter_ = "none";
  trace::filter_options tlb_{64, 4, 4096};
  bool no_allocations_ = false;
  std::vector<std::string> command_;
};

}  // namespace numatch::cli
