// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numatch/numa/part_failures.hpp"
#include "numatch/numa/placed_range.hpp"
#include "numatch/numa/runtime.hpp"

namespace numatch {
inline namespace numa_v1 {

/// A vector of fixed size in one piece of addresses, whose blocks are on the nodes in order. Any
/// thread may use any element as of an array; for_each() and transform_reduce() work at the owners.
template <class T>
class partitioned_vector {
 public:
  /// Elements that belong together: blocks begin at multiples of it and sums are made over it
  /// first, so that a result has the same bits for any number of nodes and threads.
  static constexpr std::size_t chunk = 4096;

  /// `count` elements, all equal.
  partitioned_vector(runtime& nodes, std::size_t count, const T& value = T())
      : partitioned_vector(nodes, count, [&value](std::size_t) -> T { return value; }) {}

  /// make(index) gives an element; it is called and the element built by a thread of its node.
  template <class Make>
    requires std::is_invocable_v<Make&, std::size_t> &&
                 std::is_constructible_v<T, std::invoke_result_t<Make&, std::size_t>>
  partitioned_vector(runtime& nodes, std::size_t count, Make make)
      : runtime_(&nodes), ends_(block_ends(count, nodes.size())), memory_(nodes, in_bytes(ends_)) {
    std::vector<std::size_t> built((count + chunk - 1) / chunk, 0);
    try {
      at_owners([&](std::size_t c, std::span<T> elements) {
        for (T& element : elements) {
          ::new (static_cast<void*>(&element)) T(make(c * chunk + built[c]));
          ++built[c];
        }
      });
    } catch (...) {
      for (std::size_t c = 0; c < built.size(); ++c) std::destroy_n(data() + c * chunk, built[c]);
      throw;
    }
  }
  ~partitioned_vector() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      at_owners([](std::size_t, std::span<T> elements) {
        std::destroy(elements.begin(), elements.end());
      });
    }
  }
  partitioned_vector(const partitioned_vector&) = delete;
  partitioned_vector& operator=(const partitioned_vector&) = delete;

  /// Elements.
  std::size_t size() const { return ends_.back(); }
  /// The first element; all are in one piece.
  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  /// The same.
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  /// Element i, from where the caller is.
  T& operator[](std::size_t i) { return data()[i]; }
  /// The same.
  const T& operator[](std::size_t i) const { return data()[i]; }
  /// For a loop over all elements in the calling thread.
  T* begin() { return data(); }
  /// After the last one.
  T* end() { return data() + size(); }
  /// The same as begin().
  const T* begin() const { return data(); }
  /// The same as end().
  const T* end() const { return data() + size(); }

  /// The elements on a node.
  std::span<T> block(std::size_t node) {
    const std::size_t first = node == 0 ? 0 : ends_[node - 1];
    return {data() + first, ends_[node] - first};
  }
  /// The node of an element.
  std::size_t owner(std::size_t i) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), i) -
                                    ends_.begin());
  }
  /// Where the pages of a node's block are.
  placement placement_of_block(std::size_t node) const { return memory_.where(node); }

  /// f(T&) for every element at its owner.
  template <class F>
    requires std::is_invocable_v<F&, T&>
  void for_each(F f) {
    at_owners([&](std::size_t, std::span<T> elements) {
      for (T& element : elements) f(element);
    });
  }
  /// f(T&, index)
  template <class F>
    requires std::is_invocable_v<F&, T&, std::size_t>
  void for_each(F f) {
    at_owners([&](std::size_t c, std::span<T> elements) {
      std::size_t i = c * chunk;
      for (T& element : elements) f(element, i++);
    });
  }

  /// reduce(… reduce(init, transform(element 0)) …), grouped by chunks; `reduce` must be
  /// associative.
  template <class Result, class Reduce, class Transform>
  Result transform_reduce(Result init, Reduce reduce, Transform transform) {
    std::vector<std::optional<Result>> of_chunk((size() + chunk - 1) / chunk);
    at_owners([&](std::size_t c, std::span<T> elements) {
      Result sum = transform(std::as_const(elements.front()));
      for (const T& element : elements.subspan(1)) sum = reduce(std::move(sum), transform(element));
      of_chunk[c].emplace(std::move(sum));
    });
    for (std::optional<Result>& sum : of_chunk) init = reduce(std::move(init), std::move(*sum));
    return init;
  }

 private:
  static std::vector<std::size_t> block_ends(std::size_t count, std::size_t nodes) {
    const std::size_t chunks = (count + chunk - 1) / chunk;
    std::vector<std::size_t> ends(nodes);
    for (std::size_t n = 0; n < nodes; ++n) {
      ends[n] = std::min(count, chunks * (n + 1) / nodes * chunk);
    }
    return ends;
  }
  static std::vector<std::size_t> in_bytes(std::vector<std::size_t> ends) {
    for (std::size_t& end : ends) end *= sizeof(T);
    return ends;
  }

  /// f(chunk number, its elements) on the threads of the node that it is on.
  template <class F>
  void at_owners(F f) {
    part_failures failures(runtime_->size());
    runtime_->for_each_node([&](std::size_t node) {
      const std::size_t first = (node == 0 ? 0 : ends_[node - 1]) / chunk;
      const std::size_t end = (ends_[node] + chunk - 1) / chunk;
      if (first >= end) return;
      failures.guard(node, [&] {
        runtime_->for_each_here(end - first, 1, [&](std::size_t i) {
          const std::size_t c = first + i;
          f(c, std::span<T>(data() + c * chunk, std::min(chunk, size() - c * chunk)));
        });
      });
    });
    failures.rethrow();
  }

  runtime* runtime_;
  std::vector<std::size_t> ends_;  // elements, by node
  placed_range memory_;
};

}  // namespace numa_v1
}  // namespace numatch
