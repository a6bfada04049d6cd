// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

// The model of the profiler and the simulated machine. The capture run-times filter with
// filter_tlb.hpp, which hits, misses and evicts exactly alike. Freestanding.

namespace numatch {

/// A set-associative TLB with true LRU and one access counter per entry (SAMMU's AC). Ways of a set
/// are kept in recency order, so the way-0 compare is the fast path. `Entries` storage belongs to
/// the caller so that no allocation is needed: entries() elements.
struct tlb_entry {
  std::uint64_t page = ~std::uint64_t{0};  ///< ~0: empty
  std::uint64_t accesses = 0;
};

/// What a look-up did.
enum class tlb_outcome : std::uint8_t { hit, miss };

class tlb {
 public:
  tlb() = default;
  /// sets must be a power of two; entries = sets × ways.
  tlb(tlb_entry* storage, std::uint32_t sets, std::uint32_t ways)
      : entries_(storage), set_mask_(sets - 1), ways_(ways) {}

  /// Counts an access to `page`. On a miss the least recently used entry of its set is moved to
  /// `evicted` (page ~0 when a way was free) and the page takes its place with one access.
  tlb_outcome access(std::uint64_t page, tlb_entry& evicted) {
    tlb_entry* const set = entries_ + (page & set_mask_) * ways_;
    if (set[0].page == page) [[likely]] {
      ++set[0].accesses;
      return tlb_outcome::hit;
    }
    for (std::uint32_t way = 1; way < ways_; ++way) {
      if (set[way].page == page) {
        const tlb_entry found{page, set[way].accesses + 1};
        for (std::uint32_t i = way; i > 0; --i) set[i] = set[i - 1];
        set[0] = found;
        return tlb_outcome::hit;
      }
    }
    evicted = set[ways_ - 1];
    for (std::uint32_t i = ways_ - 1; i > 0; --i) set[i] = set[i - 1];
    set[0] = tlb_entry{page, 1};
    return tlb_outcome::miss;
  }

  /// The counter of the most recent access's entry: way 0 of its set.
  std::uint64_t& newest_count(std::uint64_t page) {
    return entries_[(page & set_mask_) * ways_].accesses;
  }
  std::uint32_t entry_count() const { return (set_mask_ + 1) * ways_; }
  const tlb_entry& entry(std::uint32_t i) const { return entries_[i]; }
  void flush() {
    for (std::uint32_t i = 0; i < entry_count(); ++i) entries_[i] = tlb_entry{};
  }

 private:
  tlb_entry* entries_ = nullptr;
  std::uint32_t set_mask_ = 0;
  std::uint32_t ways_ = 1;
};

}  // namespace numatch
