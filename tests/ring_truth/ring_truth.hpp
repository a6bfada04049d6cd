// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>

#include "base/result.hpp"
#include "pattern/granule_counts.hpp"
#include "pattern/profile.hpp"

// What ring_program (tests/vm) says that its threads did, beside what a profile says that they did.

namespace numatch::ring_truth {

struct truth {
  std::map<std::uint32_t, std::uint32_t> thread_of_task;
  /// By page number (of 4096 bytes) and thread.
  std::map<std::uint64_t, std::map<std::uint32_t, use_count>> pages;
  std::size_t threads() const { return thread_of_task.size(); }
};

/// Reads a report of ring_program; an error when it has no threads or no uses.
result<truth> read_truth(std::istream& report);

/// Only the ring's own threads and pages count.
struct comparison {
  std::size_t unknown_threads = 0;  ///< of the ring, missing in the profile
  std::uint64_t wrong_uses = 0;     ///< of a page by a thread that never used it
  double wrong_increments = 0;      ///< sharing between threads that have no page together
  std::size_t written_found = 0;    ///< pairs of thread and page: written, and seen
  std::size_t written = 0;          ///< pairs of thread and page
  std::size_t used_found = 0;       ///< the same of all that were used
  std::size_t used = 0;
  double correlation = 0;  ///< of the sharing, with the oracle's on the true accesses
};
comparison compare(const profile& seen, const truth& real);

}  // namespace numatch::ring_truth
