// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.hpp"

namespace numatch::compare {

/// A number in a file of /proc/sys that may be changed and is put back at the end of this process,
/// however it ends: a small process of its own session waits for that. For a process with one
/// thread.
class kept_setting {
 public:
  /// nullopt when this user may not change it, or it is not there.
  static std::optional<kept_setting> open(const std::string& path);
  kept_setting(kept_setting&& other) noexcept;
  kept_setting& operator=(kept_setting&&) = delete;
  ~kept_setting();

  result<void> set(int value);
  int original() const { return original_; }

 private:
  kept_setting(std::string path, int file, int original)
      : path_(std::move(path)), file_(file), original_(original) {}
  bool start_guardian();

  std::string path_;
  int file_;
  int original_;
  int life_line_ = -1;  ///< its other end reads the end of file when we are gone
  pid_t guardian_ = -1;
};

}  // namespace numatch::compare
