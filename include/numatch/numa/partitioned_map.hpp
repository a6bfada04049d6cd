// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "numatch/numa/partitioned.hpp"

namespace numatch {
inline namespace numa_v1 {

/// A hash map whose keys have owners: the part of a key is a map on one node. A batch is sent to
/// the owners, each of which does its keys in the order of the batch; a single look-up is done by
/// the caller, because sending it would cost more than a few remote accesses. Thread safe: a part
/// has a lock.
template <class Key, class Value, class Hash = std::hash<Key>>
class partitioned_map {
 public:
  /// What a part is.
  using part_map = std::pmr::unordered_map<Key, Value, Hash>;

  /// One part per node.
  explicit partitioned_map(runtime& nodes) : partitioned_map(nodes, nodes.size()) {}
  /// As many parts as wanted; part p is on node p mod nodes.
  partitioned_map(runtime& nodes, std::size_t parts)
      : parts_(nodes, parts,
               [](std::size_t, std::pmr::memory_resource* memory) { return locked_map(memory); }) {}

  /// The part of a key.
  std::size_t part_of(const Key& key) const { return part_of_hash(Hash{}(key), parts_.size()); }
  /// The node that the part of a key is on.
  std::size_t owner(const Key& key) const { return parts_.owner(part_of(key)); }

  /// Keys in all parts.
  std::size_t size() const {
    std::size_t all = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const std::lock_guard<std::mutex> held(parts_[p].lock);
      all += parts_[p].map.size();
    }
    return all;
  }

  /// true: the key is new.
  bool insert_or_assign(const Key& key, Value value) {
    locked_map& part = parts_[part_of(key)];
    const std::lock_guard<std::mutex> held(part.lock);
    return part.map.insert_or_assign(key, std::move(value)).second;
  }
  /// The value of a key, copied; nullopt: there is none.
  std::optional<Value> find(const Key& key) const {
    const locked_map& part = parts_[part_of(key)];
    const std::lock_guard<std::mutex> held(part.lock);
    const typename part_map::const_iterator at = part.map.find(key);
    return at == part.map.end() ? std::nullopt : std::optional<Value>(at->second);
  }
  /// true: the key was there.
  bool erase(const Key& key) {
    locked_map& part = parts_[part_of(key)];
    const std::lock_guard<std::mutex> held(part.lock);
    return part.map.erase(key) != 0;
  }

  /// f(map) at the owner of a key, under its lock.
  template <class F>
  std::invoke_result_t<F&, part_map&> at_owner(const Key& key, F f) {
    return parts_.at_part(part_of(key),
                          [&](locked_map& part) -> std::invoke_result_t<F&, part_map&> {
                            const std::lock_guard<std::mutex> held(part.lock);
                            return f(part.map);
                          });
  }

  /// All pairs, each at its owner; of equal keys the last one stays.
  void insert_or_assign_all(std::span<const std::pair<Key, Value>> pairs) {
    const std::vector<std::vector<std::size_t>> of_part =
        sort_out(pairs, &std::pair<Key, Value>::first);
    parts_.for_each_part([&](locked_map& part, std::size_t p) {
      const std::lock_guard<std::mutex> held(part.lock);
      for (const std::size_t i : of_part[p]) {
        part.map.insert_or_assign(pairs[i].first, pairs[i].second);
      }
    });
  }
  /// The values of many keys, in their order.
  std::vector<std::optional<Value>> find_all(std::span<const Key> keys) {
    const std::vector<std::vector<std::size_t>> of_part = sort_out(keys, std::identity());
    std::vector<std::optional<Value>> found(keys.size());
    parts_.for_each_part([&](locked_map& part, std::size_t p) {
      const std::lock_guard<std::mutex> held(part.lock);
      for (const std::size_t i : of_part[p]) {
        const typename part_map::const_iterator at = part.map.find(keys[i]);
        if (at != part.map.end()) found[i].emplace(at->second);
      }
    });
    return found;
  }

  /// Where every byte is.
  std::vector<part_placement> placement() const { return parts_.placement(); }

 private:
  struct locked_map {
    explicit locked_map(std::pmr::memory_resource* memory) : map(memory) {}
    mutable std::mutex lock;
    part_map map;
  };

  /// By part, the indices of what belongs to it.
  template <class Item, class KeyOf>
  std::vector<std::vector<std::size_t>> sort_out(std::span<const Item> items, KeyOf key_of) const {
    std::vector<std::vector<std::size_t>> of_part(parts_.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      of_part[part_of(std::invoke(key_of, items[i]))].push_back(i);
    return of_part;
  }

  partitioned<locked_map> parts_;
};

}  // namespace numa_v1
}  // namespace numatch
