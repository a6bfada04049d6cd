// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace numatch::live {

/// A mapping of /proc/PID/maps.
struct mapped_range {
  std::uint64_t first = 0;  ///< byte address
  std::uint64_t end = 0;    ///< one past the last byte
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t offset = 0;  ///< in the object
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< 0: anonymous
  std::string name;         ///< "[heap]", a path, or empty
};

/// A running process that is not ours. Its number may be reused after its end, so it is held by a
/// pidfd; every question about an ended process is an error that says so.
class observed_process {
 public:
  /// An error when there is no such process or it may not be observed by this user.
  static result<observed_process> open(pid_t pid);
  observed_process(observed_process&& other) noexcept;
  observed_process& operator=(observed_process&& other) noexcept;
  ~observed_process();

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_; }
  bool alive() const;
  std::string name() const;  ///< /proc/PID/comm
  /// Task numbers in the order of creation, as far as /proc tells it (start time, then number).
  result<std::vector<pid_t>> tasks() const;
  result<std::vector<mapped_range>> mappings() const;

 private:
  observed_process(pid_t pid, int pidfd) : pid_(pid), pidfd_(pidfd) {}
  pid_t pid_ = 0;
  int pidfd_ = -1;
};

}  // namespace numatch::live
