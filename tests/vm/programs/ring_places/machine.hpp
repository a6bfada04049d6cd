// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ring_places {

/// The node of each CPU, as /sys tells.
std::map<int, int> node_of_cpu();

/// The CPUs of a list like "0-2,5". Throws std::runtime_error.
std::vector<int> cpus_of_list(const std::string& list);

/// Where a thread may run, and on which CPU it ran last. Throws std::runtime_error when it is gone.
struct thread_place {
  std::string allowed;
  int cpu = -1;
};
thread_place place_of(pid_t process, pid_t task);

/// The node of each page of a process, below 0 where it has none. Throws std::system_error.
std::vector<int> nodes_of_pages(pid_t process, const std::vector<std::uintptr_t>& pages);

/// Moves pages of a process to a node; the number that is there afterwards. Throws
/// std::system_error.
std::size_t move_pages_to(pid_t process, const std::vector<std::uintptr_t>& pages, int node);

}  // namespace ring_places
