// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "uapi/numatch.h"

namespace numatch::live {

/// What decides how much room a session of the kernel module gets for its views' page tables.
struct view_needs {
  std::uint64_t views = 1;           ///< that will be in use
  std::uint64_t resident_bytes = 0;  ///< of the program
  std::uint64_t memory_bytes = 0;    ///< of the machine
  std::uint32_t most_pages = 0;      ///< that the module gives
};

/// Pages of 4096 bytes: what the program needs now and half as much again, a thousandth of the
/// machine's memory at least, for programs that just begin, and never less than 16 MiB.
std::uint32_t table_pages_for(const view_needs& needs);

/// Which limits the sessions of one program have reached.
class view_limits {
 public:
  /// The statistics of a session now and at the call before; the first one of a session begins
  /// with zeros.
  void note(const numatch_start& asked, const numatch_stats& before, const numatch_stats& now);
  /// One clause each, of what was not seen.
  std::vector<std::string> reached() const;

 private:
  numatch_start asked_{};
  bool too_many_threads_ = false;
  std::uint64_t without_view_ = 0;
  std::uint64_t without_tables_ = 0;
};

}  // namespace numatch::live
