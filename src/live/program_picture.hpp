// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "live/process_view.hpp"
#include "live/sensing.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch::live {

/// A thread and what was seen of it. Places and processor time are measured, uses sampled.
struct pictured_thread {
  task_view seen;
  std::optional<double> cpu_share;  ///< of one processor, since the last picture
  std::uint64_t uses = 0;           ///< seen lately
  std::uint64_t local_uses = 0;     ///< of these, of pages on the node where the thread ran last
  std::uint64_t placed_uses = 0;    ///< of these, of pages and threads whose node is known
  std::vector<std::uint64_t> pages_on;  ///< distinct pages that it used lately, as in `nodes`
};

/// Who senses a program, and how that goes.
struct pictured_sensing {
  std::string sensor;  ///< empty: nobody
  std::string sees;    ///< "writes"
  std::string note;    ///< why nobody or not the best one senses it
  sensing_totals totals;
};

/// A running program at one moment.
struct program_picture {
  double seconds = 0;   ///< since the picture before, or since the watching began
  process_view places;  ///< its `tasks` are moved to `threads`
  std::vector<pictured_thread> threads;
  sharing_matrix sharing;  ///< of the first threads, at most most_shown_sharers
  pictured_sensing sensing;
};

/// A matrix for more threads than this is no picture any more.
inline constexpr std::size_t most_shown_sharers = 1024;

/// A program of the machine, without sensing.
struct program_row {
  pid_t pid = 0;
  std::string name;
  std::size_t threads = 0;
  std::uint64_t bytes = 0;         ///< in memory
  std::uint64_t remote_bytes = 0;  ///< of these, on nodes where none of its threads ran last
  double even_share = 1;           ///< process_view::even_share
};

/// The programs that this user may look at, most remote memory first, then most memory.
struct machine_picture {
  std::vector<program_row> programs;
  std::size_t hidden = 0;  ///< processes of others
  std::size_t nodes = 0;
};

/// Reads /proc alone; programs that end meanwhile are left out.
machine_picture picture_machine(const system_facts& machine);

}  // namespace numatch::live
