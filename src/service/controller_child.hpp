// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/owned_fd.hpp"

namespace numatch::service {

/// A child process with a command of its own: what it prints on standard output and error comes
/// here, line by line. It gets SIGTERM when the thread that started it ends without a word.
class controller_child {
 public:
  /// An error when it cannot be started. Signals that are held back here reach it.
  static result<controller_child> start(const std::vector<std::string>& command);
  controller_child(controller_child&& other) noexcept;
  controller_child& operator=(controller_child&& other) noexcept;
  /// Kills it if it has not ended.
  ~controller_child();

  /// Readable when it has ended, and when it has said something.
  int end_fd() const { return end_.get(); }
  int output_fd() const { return output_.get(); }
  bool output_open() const { return output_open_; }

  /// Asks it to end: SIGTERM, or SIGKILL.
  void stop(bool at_once = false);
  /// The whole lines that came since the last call; with the rest of the last one once it has
  /// ended.
  std::vector<std::string> take_lines();
  /// The exit code, or 128 and the signal, when it has ended; waits for nothing.
  std::optional<int> ended();

 private:
  controller_child(pid_t pid, live::owned_fd end, live::owned_fd output)
      : pid_(pid), end_(std::move(end)), output_(std::move(output)) {}
  pid_t pid_ = -1;  ///< -1: it has ended and was waited for
  std::optional<int> code_;
  live::owned_fd end_;
  live::owned_fd output_;
  bool output_open_ = true;
  std::string begun_;  ///< of a line
};

}  // namespace numatch::service
