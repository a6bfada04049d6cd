// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "numatch/numa/function_ref.hpp"
#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Several parts of one call failed; one that failed alone throws its own exception instead.
class parts_failed : public std::runtime_error {
 public:
  /// One of them.
  struct failure {
    std::size_t part = 0;       ///< which part or node
    std::exception_ptr reason;  ///< what it threw
  };
  /// Of two failures and more.
  explicit parts_failed(std::vector<failure> failures);
  /// All of them, by part.
  const std::vector<failure>& failures() const { return failures_; }

 private:
  std::vector<failure> failures_;
};

/// Whether a thread without work may take work that belongs to another node.
enum class stealing : std::uint8_t {
  never,  ///< work stays on its node
  any     ///< it may
};

/// Where work runs: threads on every node, which stay there. Calls may come from any thread, also
/// from inside a task.
class executor {
 public:
  virtual ~executor() = default;
  /// Nodes.
  virtual std::size_t size() const = 0;
  /// Threads that work on a node.
  virtual std::size_t threads(std::size_t node) const = 0;
  /// Runs task(node) once on each of these nodes, at the same time, and returns when all have
  /// ended. A task must not throw.
  virtual void run(std::span<const std::size_t> nodes, function_ref<void(std::size_t)> task) = 0;
  /// Inside a task: splits 0..count into pieces of at most `grain` and has the threads of this node
  /// work on them; returns when all are done. Outside of tasks the caller works alone. A piece
  /// must not throw.
  virtual void share(std::size_t count, std::size_t grain,
                     function_ref<void(std::size_t first, std::size_t end)> piece) = 0;
  /// The node whose thread calls; 0 outside of tasks.
  virtual std::size_t here() const = 0;
};

/// How an executor works.
struct executor_options {
  std::size_t threads_per_node = 0;  ///< 0: one per processor of the node
  stealing steal = stealing::never;  ///< of work of other nodes
};

/// A small pool: a queue per node, threads bound to their node (not to one processor), a short spin
/// before they sleep.
std::unique_ptr<executor> make_pinned_pool(const topology& machine, executor_options options = {});
/// One oneTBB arena per node: inside a task all of oneTBB may be used and stays on the node.
/// Whoever calls run() joins the arenas of nodes that have not begun, bound to the node meanwhile.
/// stealing::any is one arena for all nodes. A run() inside a task is done by the thread that calls
/// it, for all its nodes: a thread that waited for another arena could wait for ever.
std::unique_ptr<executor> make_arenas(const topology& machine, executor_options options = {});

}  // namespace numa_v1
}  // namespace numatch
