// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <array>
#include <cstddef>

#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Binds the calling thread to the processors of a node (not to one of them) and puts its old
/// affinity back at the end. Does nothing where the topology does not bind, and where the system
/// refuses: the thread then works from where it is.
class node_binding {
 public:
  node_binding(const topology& machine, std::size_t node);
  ~node_binding();
  node_binding(const node_binding&) = delete;
  node_binding& operator=(const node_binding&) = delete;

 private:
  static constexpr std::size_t sets = 8192 / CPU_SETSIZE;
  std::array<cpu_set_t, sets> before_{};
  bool bound_ = false;
};

/// Which executor's task the calling thread is in, and on which node.
class current_task {
 public:
  current_task(const void* executor, std::size_t node);
  ~current_task();
  current_task(const current_task&) = delete;
  current_task& operator=(const current_task&) = delete;
  /// The caller is in a task of this executor.
  static bool of(const void* executor);
  /// 0 outside of its tasks.
  static std::size_t node_in(const void* executor);

 private:
  const void* outer_executor_;
  std::size_t outer_node_;
};

}  // namespace numa_v1
}  // namespace numatch
