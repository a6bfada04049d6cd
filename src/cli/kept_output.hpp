// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include "base/result.hpp"
#include "live/owned_fd.hpp"

namespace numatch::cli {

/// While it lives, what is started writes to a file where it would write to the terminal, and reads
/// nothing from it; pass_on() shows later what was written. Standard files that are no terminal
/// stay as they are.
class kept_output {
 public:
  static result<kept_output> start();
  /// Our own standard files are back; what was started keeps those that it has.
  void give_back();
  /// Copies to standard output what has come since the last call.
  void pass_on();

 private:
  kept_output() = default;
  live::owned_fd file_;
  off_t passed_ = 0;
  live::owned_fd saved_[3];  ///< empty: was no terminal
};

}  // namespace numatch::cli
