// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/passed_signals.hpp"
#include "base/result.hpp"
#include "cli/console.hpp"

namespace numatch::cli {

/// A trace that a verb records for itself: in a folder of its own below $TMPDIR that is removed in
/// the end.
class passing_trace {
 public:
  /// Runs and records the program; what it prints on standard output goes to standard error, where
  /// it does not mix with the verb's result.
  static result<passing_trace> record(const std::vector<std::string>& command,
                                      const signals_held& held, console& terminal);
  passing_trace(passing_trace&& other) noexcept;
  passing_trace& operator=(passing_trace&&) = delete;
  ~passing_trace();

  std::filesystem::path file() const { return folder_ / "program.nmt"; }
  /// Of the program: its own, or 128 + signal.
  int exit_code() const { return exit_code_; }

 private:
  explicit passing_trace(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
  int exit_code_ = 0;
};

}  // namespace numatch::cli
