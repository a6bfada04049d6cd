// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/machine_config.hpp"

namespace numatch::sim {

/// A translation in a TLB, with SAMMU's access counter.
struct tlb_slot {
  static constexpr std::uint64_t no_page = ~std::uint64_t{0};
  std::uint64_t page = no_page;
  std::uint64_t used = 0;  ///< when last, in lookups
  std::uint64_t accesses = 0;
  std::uint32_t thread = 0;  ///< that entered it
};

/// One TLB: least recently used of a set.
class tlb_unit {
 public:
  explicit tlb_unit(const tlb_config& config)
      : slots_(config.entries),
        ways_(config.ways),
        sets_(config.entries / config.ways),
        masks_(std::has_single_bit(sets_)) {}

  tlb_slot* find(std::uint64_t page) {
    tlb_slot* const set = set_of(page);
    if (ways_ == usual_ways) [[likely]] {  // in which way it is nobody can foresee: no branch
      unsigned found = 0;
      for (unsigned way = 1; way < usual_ways; ++way) {
        found += way * static_cast<unsigned>(set[way].page == page);
      }
      return set[found].page == page ? set + found : nullptr;
    }
    for (unsigned way = 0; way < ways_; ++way) {
      if (set[way].page == page) return set + way;
    }
    return nullptr;
  }
  /// The slot that a new page of this set gets; what is in it leaves.
  tlb_slot& victim(std::uint64_t page) {
    tlb_slot* const set = set_of(page);
    tlb_slot* oldest = set;
    for (unsigned way = 0; way < ways_; ++way) {
      if (set[way].page == tlb_slot::no_page) return set[way];
      if (set[way].used < oldest->used) oldest = set + way;
    }
    return *oldest;
  }
  /// True when it was there.
  bool forget(std::uint64_t page) {
    tlb_slot* const found = find(page);
    if (found == nullptr) return false;
    *found = {};
    return true;
  }
  void flush() {
    for (tlb_slot& slot : slots_) slot = {};
  }
  std::vector<tlb_slot>& slots() { return slots_; }

 private:
  static constexpr unsigned usual_ways = 4;
  tlb_slot* set_of(std::uint64_t page) {
    const std::uint64_t set = masks_ ? page & (sets_ - 1) : page % sets_;
    return slots_.data() + set * ways_;
  }
  std::vector<tlb_slot> slots_;
  unsigned ways_;
  std::uint64_t sets_;
  bool masks_;  ///< sets_ is a power of two
};

}  // namespace numatch::sim
