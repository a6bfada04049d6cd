// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "control/placement_plan.hpp"
#include "live/thread_mover.hpp"
#include "topology/topology.hpp"

namespace numatch::control {

/// A thread as it is at this moment.
struct managed_thread {
  pid_t task = 0;
  std::optional<pu_id> pu;     ///< it ran there last
  std::vector<pu_id> may_use;  ///< without what numatch does
  double cpu_seconds = 0;      ///< since it started
};

/// What a controller asks of a program and does to it. Linux implements it; tests invent one.
class managed_program {
 public:
  virtual ~managed_program() = default;
  virtual const topology& machine() const = 0;
  /// Empty when it has ended.
  virtual std::vector<managed_thread> threads() = 0;
  /// One of them, without a look at the others; nullopt when it has ended.
  virtual std::optional<managed_thread> thread(pid_t task) = 0;
  /// A thread was born: what it inherited from a bound one is taken off.
  virtual void welcome(pid_t task) = 0;
  /// The node of each page; nullopt where it is not in memory.
  virtual result<std::vector<std::optional<node_id>>> nodes_of(
      std::span<const page_number> pages) = 0;
  /// Nodes that may get pages, ascending.
  virtual std::vector<node_id> page_targets() = 0;
  /// What is_huge() and may_move() answer is as of now.
  virtual result<void> look_at_memory() = 0;
  virtual bool is_huge(page_number page) const = 0;
  /// False where the program has a memory policy of its own.
  virtual bool may_move(page_number page) const = 0;
  virtual std::uint64_t huge_bytes() const = 0;

  /// The thread runs on the node's processors from now on.
  virtual live::binding bind(pid_t task, node_id node) = 0;
  /// The thread runs where it did before the first bind().
  virtual void release(pid_t task) = 0;
  /// Moves pages in the time that follows; at most one such request at a time.
  virtual void move_pages(std::span<const planned_page> pages) = 0;
  virtual bool pages_wait() const = 0;
  /// Those that were really moved since the last call: from and to.
  virtual std::vector<planned_page> take_moved_pages() = 0;
};

}  // namespace numatch::control
