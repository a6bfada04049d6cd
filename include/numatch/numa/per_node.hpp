// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <utility>
#include <vector>

#include "numatch/numa/placed.hpp"
#include "numatch/numa/runtime.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Exactly one T on every node, built by a thread of that node in its memory: counters, caches,
/// scratch space. What a T points to is on the node as far as it takes its memory from the resource
/// that its maker is given.
template <class T>
class per_node {
 public:
  /// make(node, resource) returns the T of a node.
  template <class Make>
    requires std::is_invocable_r_v<T, Make&, std::size_t, std::pmr::memory_resource*>
  per_node(runtime& nodes, Make make) : runtime_(&nodes), values_(nodes.size()) {
    nodes.for_each_node([&](std::size_t node) {
      std::pmr::memory_resource* const memory = nodes.memory(node);
      values_[node] = make_placed<T>(*memory, [&]() -> T { return make(node, memory); });
    });
  }

  /// Nodes.
  std::size_t size() const { return values_.size(); }
  /// That of a node.
  T& operator[](std::size_t node) { return *values_[node]; }
  /// The same.
  const T& operator[](std::size_t node) const { return *values_[node]; }
  /// That of the node whose thread calls.
  T& local() { return *values_[runtime_->here()]; }
  /// The same.
  const T& local() const { return *values_[runtime_->here()]; }

  /// f(T&) on every node, at the same time.
  template <class F>
    requires std::is_invocable_v<F&, T&>
  void for_each(F f) {
    runtime_->for_each_node([&](std::size_t node) { f(*values_[node]); });
  }

 private:
  runtime* runtime_;
  std::vector<placed<T>> values_;
};

}  // namespace numa_v1
}  // namespace numatch
