// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "mechanism/hint_faults.hpp"
#include "topology/topology.hpp"

// Where Linux' automatic NUMA balancing moves a thread, as of Linux 6.1 (task_numa_migrate() and
// what it calls).

namespace numatch::numa_balancing {

/// What is known of a thread.
struct placed_thread {
  std::optional<pu_id> pu;             ///< nullopt: it does not live
  const fault_sums* faults = nullptr;  ///< never null
  std::optional<node_id> preferred;
  bool in_group = false;
};

struct thread_step {
  pu_id to;
  std::optional<thread_id> swap;  ///< this thread takes the mover's PU
};

/// A better PU for the mover, which lives and has a preferred node: on that node, and, where it has
/// none or the group is active on several nodes, on another node on which the thread or its group
/// has more faults than on the present one. An idle PU is taken when the node's threads stay
/// balanced with those of the present one; a swap when both threads' faults together gain 3 % or
/// more.
std::optional<thread_step> better_place(thread_id mover, std::span<const placed_thread> threads,
                                        const fault_sums& group, const topology& machine);

}  // namespace numatch::numa_balancing
