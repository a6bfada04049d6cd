// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "numatch/numa/placed.hpp"
#include "numatch/numa/runtime.hpp"

namespace numatch {
inline namespace numa_v1 {

/// The same value on every node, for what everybody reads and hardly anybody writes: tables,
/// weights, hash functions. Readers take a snapshot() of the copy beside them and keep it as long
/// as they like; update() makes new copies and puts them in place of the old ones at once, so no
/// reader ever sees half a change. Thread safe. With one node there is one copy.
template <class T>
class replicated {
 public:
  /// A copy of `value` on every node.
  replicated(runtime& nodes, T value) : runtime_(&nodes), copies_(nodes.size()) {
    if (nodes.size() == 1) {
      copies_[0].now =
          share(make_placed<T>(*nodes.memory(0), [&]() -> T { return std::move(value); }));
      return;
    }
    nodes.for_each_node([&](std::size_t node) {
      copies_[node].now = share(copy_placed<T>(*nodes.memory(node), std::as_const(value)));
    });
  }
  /// make(node, resource) returns the copy of a node; all must be equal.
  template <class Make>
    requires std::is_invocable_r_v<T, Make&, std::size_t, std::pmr::memory_resource*>
  replicated(runtime& nodes, Make make) : runtime_(&nodes), copies_(nodes.size()) {
    nodes.for_each_node([&](std::size_t node) {
      std::pmr::memory_resource* const memory = nodes.memory(node);
      copies_[node].now = share(make_placed<T>(*memory, [&]() -> T { return make(node, memory); }));
    });
  }

  /// Copies.
  std::size_t size() const { return copies_.size(); }
  /// The copy of the node whose thread calls, as it is now. Take one per batch of work, not one per
  /// element: it costs a lock that the threads of the node share.
  std::shared_ptr<const T> snapshot() const { return snapshot(runtime_->here()); }
  /// The copy of a node.
  std::shared_ptr<const T> snapshot(std::size_t node) const {
    const std::lock_guard<std::mutex> held(copies_[node].lock);
    return copies_[node].now;
  }

  /// f(T&) on a new copy on every node; when all have succeeded they become the value, else the
  /// value stays and the exception is thrown. `f` must do the same to every copy. Updates happen
  /// one after another; while one ends, nodes may differ for a moment.
  template <class F>
    requires std::is_invocable_v<F&, T&>
  void update(F f) {
    const std::lock_guard<std::mutex> one_at_a_time(updating_);
    std::vector<std::shared_ptr<const T>> next(size());
    runtime_->for_each_node([&](std::size_t node) {
      placed<T> copy = copy_placed<T>(*runtime_->memory(node), *copies_[node].now);
      f(*copy);
      next[node] = share(std::move(copy));
    });
    for (std::size_t node = 0; node < size(); ++node) {
      const std::lock_guard<std::mutex> held(copies_[node].lock);
      copies_[node].now.swap(next[node]);
    }
  }

 private:
  struct alignas(64) copy_of_node {
    mutable std::mutex lock;
    std::shared_ptr<const T> now;
  };
  static std::shared_ptr<const T> share(placed<T> made) {
    const placed_delete<T> end = made.get_deleter();
    // The counts live beside the value, so counting stays on the node.
    return std::shared_ptr<const T>(
        made.release(), [end](const T* gone) { end(const_cast<T*>(gone)); },
        std::pmr::polymorphic_allocator<>(end.from));
  }

  runtime* runtime_;
  std::vector<copy_of_node> copies_;
  std::mutex updating_;
};

}  // namespace numa_v1
}  // namespace numatch
