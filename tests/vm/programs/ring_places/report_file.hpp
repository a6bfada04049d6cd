// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <vector>

namespace ring_places {

struct region {
  unsigned number = 0;
  bool is_private = false;
  std::uintptr_t address = 0;
  std::size_t pages = 0;
};

/// What ring_program wrote of one process.
struct report {
  pid_t process = 0;
  std::map<unsigned, pid_t> task_of_thread;
  std::vector<region> regions;
  /// Accesses of each thread to each page that it used.
  std::map<std::uintptr_t, std::map<unsigned, std::uint64_t>> uses;
};

/// Throws std::runtime_error when it is no such report.
report read_report(std::istream& in);

/// The thread with the most accesses; the first of several.
unsigned main_user(const std::map<unsigned, std::uint64_t>& uses);

}  // namespace ring_places
