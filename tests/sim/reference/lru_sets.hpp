// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <optional>

namespace numatch::sim::ref {

/// A table of sets, each a list from the most to the least recently used. Set = key modulo sets.
template <class Value>
class lru_sets {
 public:
  struct entry {
    std::uint64_t key;
    Value value;
  };

  lru_sets(std::uint64_t sets, std::size_t ways) : sets_(sets), ways_(ways) {}

  /// Null when it is not there. The order stays as it is.
  Value* find(std::uint64_t key) {
    std::list<entry>& set = set_of(key);
    const auto found = where(set, key);
    return found == set.end() ? nullptr : &found->value;
  }
  bool has(std::uint64_t key) { return find(key) != nullptr; }

  /// Makes what is there the most recently used.
  void use(std::uint64_t key) {
    std::list<entry>& set = set_of(key);
    set.splice(set.begin(), set, where(set, key));
  }

  /// Enters what is not there as the most recently used; returns what had to go.
  std::optional<std::uint64_t> enter(std::uint64_t key, Value value) {
    std::list<entry>& set = set_of(key);
    std::optional<std::uint64_t> dropped;
    if (set.size() == ways_) {
      dropped = set.back().key;
      set.pop_back();
    }
    set.push_front({key, value});
    return dropped;
  }

  void remove(std::uint64_t key) {
    std::list<entry>& set = set_of(key);
    const auto found = where(set, key);
    if (found != set.end()) set.erase(found);
  }

 private:
  using place = typename std::list<entry>::iterator;
  std::list<entry>& set_of(std::uint64_t key) { return entries_[key % sets_]; }
  static place where(std::list<entry>& set, std::uint64_t key) {
    return std::find_if(set.begin(), set.end(), [&](const entry& e) { return e.key == key; });
  }

  std::uint64_t sets_;
  std::size_t ways_;
  std::map<std::uint64_t, std::list<entry>> entries_;
};

}  // namespace numatch::sim::ref
