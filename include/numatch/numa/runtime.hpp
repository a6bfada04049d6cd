// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numatch/numa/executor.hpp"
#include "numatch/numa/memory.hpp"
#include "numatch/numa/topology.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Who runs the work.
enum class backend : std::uint8_t {
  pinned_pool,  ///< make_pinned_pool()
  arenas        ///< make_arenas()
};

/// How a runtime works and takes its memory.
struct runtime_options {
  backend run_by = backend::pinned_pool;  ///< who runs the work
  executor_options execution;             ///< threads per node, stealing
  memory_options memory;                  ///< pages, and what happens when a node is full
};

/// The nodes of a machine with their threads and their memory. Make one for the program and hand it
/// on; everything made with it must end before it. Thread safe.
///
/// With one node nothing is bound and nothing is sent: work runs in the caller.
class runtime {
 public:
  /// Starts the threads of all nodes.
  explicit runtime(topology machine = topology::system(), runtime_options options = {});
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Its nodes.
  const topology& machine() const { return machine_; }
  /// How its memory is taken.
  const memory_options& memory_rules() const { return options_.memory; }
  /// Nodes.
  std::size_t size() const { return machine_.size(); }
  /// Who runs the work.
  executor& threads() { return *executor_; }
  /// For objects of any size on a node; thread safe.
  std::pmr::memory_resource* memory(std::size_t node);
  /// The node whose thread calls; 0 outside of the runtime's threads.
  std::size_t here() const { return executor_->here(); }

  /// Runs f() on a node and hands on its result or exception.
  template <class F>
  std::invoke_result_t<F&> run_on(std::size_t node, F&& f) {
    using answer = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<answer>) {
      for_nodes(std::span(&node, 1), [&f](std::size_t) { f(); });
    } else {
      std::optional<answer> kept;
      for_nodes(std::span(&node, 1), [&](std::size_t) { kept.emplace(f()); });
      return std::move(*kept);
    }
  }

  /// Runs f(node) once on every node, at the same time. When one fails the others still end; its
  /// exception is thrown here, or parts_failed when there are several.
  template <class F>
  void for_each_node(F&& f) {
    for_nodes(all_, f);
  }

  /// The same on some nodes; each named once.
  void for_nodes(std::span<const std::size_t> nodes, function_ref<void(std::size_t)> f);

  /// Inside a task: f(i) for every i below `count`, on the threads of this node, in pieces of
  /// `grain`. The first exception, by i, is thrown when all pieces have ended.
  void for_each_here(std::size_t count, std::size_t grain, function_ref<void(std::size_t)> f);

 private:
  struct node_memory;
  const topology machine_;
  const runtime_options options_;
  std::vector<std::size_t> all_;
  std::vector<std::unique_ptr<node_memory>> memory_;
  std::unique_ptr<executor> executor_;
};

}  // namespace numa_v1
}  // namespace numatch
