// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pattern/profile.hpp"
#include "trace/reader.hpp"
#include "trace/replay.hpp"

namespace numatch {

/// The program's threads: names and numbers from the trace, times and counts from the replay.
class thread_table {
 public:
  /// Ids are below `count`. `whole_trace`: every access is replayed, so the trace's own instruction
  /// counts hold.
  thread_table(std::span<const trace::thread_info> threads, std::size_t count, bool whole_trace);

  void take(const trace::step& step);
  /// Fills profile::threads and total_accesses.
  void finish(profile& learned) const;

 private:
  struct progress {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    std::uint64_t accesses = 0;
  };
  std::vector<profiled_thread> threads_;
  std::vector<progress> progress_;
};

}  // namespace numatch
