// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace numatch {

/// An open-addressing hash table from 64-bit keys (page numbers, line addresses) to small values:
/// one vector, linear probing, no erasing. The key ~0 marks an empty place and cannot be stored.
/// References stay valid until the next insertion. 16 places at least, at most 2/3 full.
/// Iteration follows the keys' hash, so it is deterministic; sort where the order is seen.
template <class Value>
class flat_table {
 public:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};
  struct entry {
    std::uint64_t key = no_key;
    Value value{};
  };

  std::size_t size() const { return size_; }

  /// The value of `key`, made with Value{} when it is new.
  Value& operator[](std::uint64_t key) {
    if (3 * (size_ + 1) > 2 * places_.size()) grow();
    entry& place = places_[place_of(key)];
    if (place.key == no_key) {
      place.key = key;
      ++size_;
    }
    return place.value;
  }

  Value* find(std::uint64_t key) { return const_cast<Value*>(std::as_const(*this).find(key)); }
  const Value* find(std::uint64_t key) const {
    if (places_.empty()) return nullptr;
    const entry& place = places_[place_of(key)];
    return place.key == no_key ? nullptr : &place.value;
  }

  /// each(key, value) for every entry.
  template <class Each>
  void for_each(const Each& each) const {
    for (const entry& place : places_) {
      if (place.key != no_key) each(place.key, place.value);
    }
  }
  template <class Each>
  void for_each(const Each& each) {
    for (entry& place : places_) {
      if (place.key != no_key) each(place.key, place.value);
    }
  }

  /// Forgets everything and gives the memory back.
  void clear() { *this = flat_table(); }

 private:
  std::size_t place_of(std::uint64_t key) const {
    // Multiplicative hashing takes the high bits: neighbouring pages spread over the table.
    std::size_t place = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> shift_);
    while (places_[place].key != key && places_[place].key != no_key) {
      place = (place + 1) & (places_.size() - 1);
    }
    return place;
  }

  void grow() {
    std::vector<entry> old = std::move(places_);
    places_ = std::vector<entry>(old.empty() ? 16 : 2 * old.size());
    shift_ = old.empty() ? 60 : shift_ - 1;
    for (entry& moved : old) {
      if (moved.key != no_key) places_[place_of(moved.key)] = std::move(moved);
    }
  }

  std::vector<entry> places_;
  std::size_t size_ = 0;
  unsigned shift_ = 64;
};

}  // namespace numatch
