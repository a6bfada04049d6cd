// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "numatch/numa/part_failures.hpp"
#include "numatch/numa/part_memory.hpp"
#include "numatch/numa/placed.hpp"
#include "numatch/numa/rebalance.hpp"
#include "numatch/numa/runtime.hpp"

namespace numatch {
inline namespace numa_v1 {

/// Where one part is.
struct part_placement {
  std::size_t part = 0;            ///< its number
  std::size_t node = 0;            ///< its owner
  std::optional<unsigned> memory;  ///< NUMA node of the operating system that it should be on
  placement where;                 ///< where its pages are
};

/// The part of a key: the same in every run.
inline std::size_t part_of_hash(std::size_t hash, std::size_t parts) {
  // Fibonacci hashing spreads what std::hash leaves in the low bits, as that of integers does.
  return static_cast<std::size_t>((hash * 0x9e3779b97f4a7c15u) >> 32) % parts;
}

/// A data structure in disjoint parts; each is built by a thread of its node in that node's memory,
/// and only threads of that node work on it: the owner computes (SplittableData of Majo and Gross,
/// "A template library to integrate thread scheduling and locality management for NUMA
/// multiprocessors"). T is the structure of one part, as
/// it would be without numatch; it takes its memory from the resource that its maker is given.
///
/// Answers do not depend on the number of nodes or threads: results are merged in the order of the
/// parts. What calls for a change of the parts (for_each_part, at_part) may run beside nothing else
/// that touches the same part: locking is up to T.
template <class T>
class partitioned {
 public:
  /// One part per node. make(part, resource) returns a part.
  template <class Make>
  partitioned(runtime& nodes, Make make) : partitioned(nodes, nodes.size(), std::move(make)) {}

  /// As many parts as wanted; part p starts on node p mod nodes.
  template <class Make>
    requires std::is_invocable_r_v<T, Make&, std::size_t, std::pmr::memory_resource*>
  partitioned(runtime& nodes, std::size_t parts, Make make) : runtime_(&nodes), parts_(parts) {
    for (std::size_t p = 0; p < parts; ++p) {
      parts_[p].memory.emplace(nodes, p % nodes.size());
    }
    list_owners();
    at_owners([&](std::size_t p) {
      std::pmr::memory_resource& memory = parts_[p].memory->resource();
      parts_[p].value = make_placed<T>(memory, [&]() -> T { return make(p, &memory); });
    });
  }

  /// Parts.
  std::size_t size() const { return parts_.size(); }
  /// A part, for whoever calls, from where it is.
  T& operator[](std::size_t part) { return *parts_[part].value; }
  /// The same.
  const T& operator[](std::size_t part) const { return *parts_[part].value; }
  /// The node that a part is on.
  std::size_t owner(std::size_t part) const { return parts_[part].memory->node(); }
  /// The part of a key, by std::hash.
  template <class Key>
  std::size_t part_of(const Key& key) const {
    return part_of_hash(std::hash<Key>{}(key), size());
  }

  /// Asks every part and merges the answers: map(const T&) at each owner, then
  /// merge(merge(answer 0, answer 1), answer 2) … in the caller. `merge` must be associative.
  template <class Map, class Merge>
    requires std::is_invocable_v<Map&, const T&>
  std::invoke_result_t<Map&, const T&> map_reduce(Map map, Merge merge) const {
    std::vector<std::optional<std::invoke_result_t<Map&, const T&>>> answers(size());
    at_owners([&](std::size_t p) { answers[p].emplace(map(std::as_const(*parts_[p].value))); });
    return fold(std::span(answers), merge);
  }

  /// The same for many queries with one dispatch, which is what pays: map(const T&, query) for
  /// every query and part; the answers are in the order of the queries.
  template <class Query, class Map, class Merge>
    requires std::is_invocable_v<Map&, const T&, const Query&>
  std::vector<std::invoke_result_t<Map&, const T&, const Query&>> map_reduce_batch(
      std::span<const Query> queries, Map map, Merge merge) const {
    using answer = std::invoke_result_t<Map&, const T&, const Query&>;
    std::vector<std::optional<answer>> answers(queries.size() * size());
    part_failures failures(size());
    runtime_->for_nodes(owners_, [&](std::size_t node) {
      const std::vector<std::size_t>& here = parts_of_[node];
      const std::size_t count = queries.size() * here.size();
      runtime_->for_each_here(count, grain(count, node), [&](std::size_t i) {
        const std::size_t p = here[i / queries.size()];
        const std::size_t q = i % queries.size();
        failures.guard(p, [&] {
          answers[q * size() + p].emplace(map(std::as_const(*parts_[p].value), queries[q]));
        });
      });
    });
    failures.rethrow();
    std::vector<answer> merged;
    merged.reserve(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q) {
      merged.push_back(fold(std::span(answers).subspan(q * size(), size()), merge));
    }
    return merged;
  }
  /// The same.
  template <class Query, class Map, class Merge>
  auto map_reduce_batch(const std::vector<Query>& queries, Map map, Merge merge) const {
    return map_reduce_batch(std::span<const Query>(queries), std::move(map), std::move(merge));
  }

  /// f(T&) on every part at its owner.
  template <class F>
    requires std::is_invocable_v<F&, T&>
  void for_each_part(F f) {
    at_owners([&](std::size_t p) { f(*parts_[p].value); });
  }
  /// f(T&, part)
  template <class F>
    requires std::is_invocable_v<F&, T&, std::size_t>
  void for_each_part(F f) {
    at_owners([&](std::size_t p) { f(*parts_[p].value, p); });
  }

  /// f(T&) on one part at its owner.
  template <class F>
  std::invoke_result_t<F&, T&> at_part(std::size_t part, F f) {
    return runtime_->run_on(
        owner(part), [&]() -> std::invoke_result_t<F&, T&> { return f(*parts_[part].value); });
  }
  /// f(T&) on the part of a key at its owner.
  template <class Key, class F>
  std::invoke_result_t<F&, T&> at_owner(const Key& key, F f) {
    return at_part(part_of(key), std::move(f));
  }

  /// How to even out `load`, a number per part.
  rebalance_plan plan(std::span<const double> load) const {
    std::vector<std::size_t> now(size());
    for (std::size_t p = 0; p < size(); ++p) now[p] = owner(p);
    return plan_rebalance(load, now, runtime_->size());
  }
  /// Moves parts with all their pages; no pointer changes. Nothing else may use the parts
  /// meanwhile.
  void rebalance(const rebalance_plan& wanted) {
    for (std::size_t p = 0; p < size(); ++p) {
      if (owner(p) != wanted.node_of_part[p]) parts_[p].memory->migrate(wanted.node_of_part[p]);
    }
    list_owners();
  }

  /// Where every byte is.
  std::vector<part_placement> placement() const {
    std::vector<part_placement> all;
    for (std::size_t p = 0; p < size(); ++p) {
      all.push_back({p, owner(p), runtime_->machine()[owner(p)].memory, parts_[p].memory->where()});
    }
    return all;
  }

 private:
  struct owned_part {
    std::optional<part_memory> memory;
    placed<T> value;  // ends before its memory
  };

  /// f(part) for every part at its owner; parts of one node share its threads.
  template <class F>
  void at_owners(F f) const {
    part_failures failures(size());
    runtime_->for_nodes(owners_, [&](std::size_t node) {
      const std::vector<std::size_t>& here = parts_of_[node];
      runtime_->for_each_here(here.size(), 1,
                              [&](std::size_t i) { failures.guard(here[i], [&] { f(here[i]); }); });
    });
    failures.rethrow();
  }

  void list_owners() {
    owners_.clear();
    parts_of_.assign(runtime_->size(), {});
    for (std::size_t p = 0; p < size(); ++p) parts_of_[owner(p)].push_back(p);
    for (std::size_t node = 0; node < parts_of_.size(); ++node) {
      if (!parts_of_[node].empty()) owners_.push_back(node);
    }
  }

  /// Small enough for the threads of a node to end together, large enough not to be noticed.
  std::size_t grain(std::size_t count, std::size_t node) const {
    return std::max<std::size_t>(1, count / (8 * runtime_->threads().threads(node)));
  }

  template <class Answer, class Merge>
  static Answer fold(std::span<std::optional<Answer>> answers, Merge& merge) {
    Answer all = std::move(*answers.front());
    for (std::optional<Answer>& next : answers.subspan(1)) {
      all = merge(std::move(all), std::move(*next));
    }
    return all;
  }

  runtime* runtime_;
  std::vector<owned_part> parts_;
  std::vector<std::size_t> owners_;                 // nodes with parts
  std::vector<std::vector<std::size_t>> parts_of_;  // by node
};

}  // namespace numa_v1
}  // namespace numatch
