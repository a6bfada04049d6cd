// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"

// The rules of Linux' automatic NUMA balancing about pages and scanning as plain functions, as of
// Linux 6.1 (kernel/sched/fair.c). Times are nanoseconds.

namespace numatch::numa_balancing {

/// How fast the address space may be scanned.
struct scan_rule {
  std::uint64_t shortest = 1'000'000'000;  ///< of a period, for memory of one scan's size
  std::uint64_t longest = 60'000'000'000;
  std::uint64_t bytes = 256ull << 20;              ///< of one scan
  std::uint64_t bytes_per_second = 2560ull << 20;  ///< no scan is followed faster than this allows
};

/// Hint faults per node, halved with every pass over the address space. Of a thread, or the sums
/// of the threads of a group.
struct fault_sums {
  explicit fault_sums(std::size_t nodes) : of_private(nodes), of_shared(nodes), of_cpu(nodes) {}
  std::vector<std::int64_t> of_private;  ///< by the page's node: the last fault was this thread's
  std::vector<std::int64_t> of_shared;   ///< by the page's node: it was another thread's
  std::vector<std::int64_t> of_cpu;      ///< by the node where the fault happened

  std::int64_t memory(node_id node) const {
    return of_private[node.index()] + of_shared[node.index()];
  }
  std::int64_t total() const;
  std::int64_t total_private() const;
  std::int64_t total_shared() const;
  /// Faults on the node's memory in thousandths of all; 0 without any.
  std::int64_t weight(node_id node) const;
  /// The node with most of them, the first on a tie; nullopt without any.
  std::optional<node_id> busiest() const;
  void add(const fault_sums& other);

  /// Halves these and adds what came since: of_cpu as its share of `fresh`, times 65536. The
  /// changes are added to `group`, too, if there is one.
  void fold(const fault_sums& fresh, fault_sums* group);
};

/// Nodes from which a group's faults come: those with more than a third of the most.
std::vector<bool> active_nodes(const fault_sums& group);

/// A period that depends on how much memory there is, and on the group of the thread, whose shared
/// faults make it longer. `group_threads` is 1 for a thread without a group.
struct scan_load {
  std::uint64_t mapped_bytes = 0;
  std::size_t group_threads = 1;
  std::int64_t private_faults = 0;  ///< of the group
  std::int64_t shared_faults = 0;
};
std::uint64_t shortest_period(const scan_load& load, const scan_rule& rule);
std::uint64_t first_period(const scan_load& load, const scan_rule& rule);
std::uint64_t longest_period(const scan_load& load, const scan_rule& rule);

/// What a thread's faults since the last pass were like.
struct fault_kinds {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  std::uint64_t failed_moves = 0;
  std::uint64_t of_private = 0;
  std::uint64_t of_shared = 0;
};

/// Twice the period when there was nothing to learn or moves failed; longer while faults are mostly
/// private or local, shorter otherwise; within the limits.
std::uint64_t next_period(std::uint64_t period, const fault_kinds& seen, std::uint64_t shortest,
                          std::uint64_t longest);

/// A hint fault of `thread` on node `to`, on a page that lies on `from`.
struct hint_fault {
  thread_id thread;
  node_id from;
  node_id to;
  std::optional<thread_id> last_thread{};  ///< of the hint fault before; nullopt: there was none
  node_id last_node{};
  bool early = false;  ///< the thread has no preferred node yet, or has seen at most 4 passes
  bool is_private() const { return !last_thread || *last_thread == thread; }
};

/// Whether the page should move to `to`. `group` is null for a thread without a group. Without
/// `two_stage` the last fault's node does not matter.
bool page_moves(const hint_fault& fault, const fault_sums* group, bool two_stage);

}  // namespace numatch::numa_balancing
