// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/numa_maps.hpp"
#include "live/observed_process.hpp"
#include "live/system_facts.hpp"

namespace numatch::live {

/// A thread as it is at one moment.
struct task_view {
  pid_t task = 0;
  std::string name;
  char state = '?';                ///< as in ps: R runs or could, S and D wait
  unsigned cpu = 0;                ///< that it ran on last
  std::optional<unsigned> node{};  ///< of that processor
  std::string may_run_on;          ///< "0-3,8"
  double cpu_seconds = 0;          ///< user and system, since its start
};

/// What a process has on a node.
struct node_share {
  unsigned node = 0;
  std::size_t threads = 0;                          ///< that ran there last
  std::uint64_t bytes = 0;                          ///< in memory
  std::array<std::uint64_t, page_kinds> by_kind{};  ///< of these, by page_kind
};

/// Where a process's threads and pages are at one moment. Pages that it shares with other processes
/// count in full.
struct process_view {
  pid_t pid = 0;
  std::string name;
  std::vector<task_view> tasks;        ///< in the order of creation
  std::vector<node_share> nodes;       ///< every node of the machine
  std::vector<mapped_pages> mappings;  ///< those with pages in memory, by address
  std::uint64_t bytes = 0;
  std::uint64_t local_bytes = 0;  ///< on nodes where at least one thread ran last
  /// Share that would be local if every thread used all of the memory alike, 0..1, calculated; 1
  /// without memory or threads.
  double even_share = 1;
  std::uint64_t transparent_huge = 0;  ///< bytes in transparent huge pages
  bool pages_known = true;             ///< false: this kernel has no NUMA
};

/// One thread; nullopt when it has ended.
std::optional<task_view> view_task(pid_t process, pid_t task, const system_facts& machine);

/// Reads /proc; changes and stops nothing. An error when the process has ended.
result<process_view> view_process(const observed_process& process, const system_facts& machine);

}  // namespace numatch::live
