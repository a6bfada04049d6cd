// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>

#include "trace/tlb.hpp"

// Freestanding.

namespace numatch::trace {

/// An entry of filter_tlb. `page` ~0: empty.
struct filter_entry {
  std::uint64_t page;
  std::uint64_t accesses;
  std::uint64_t last_use;  ///< number of the look-up
};

/// The TLB that filters while a program is recorded: the same hits, misses and evictions as `tlb`,
/// for the case that every access counts. `tlb` keeps its ways in the order of use, so a hit in an
/// older way moves entries; here they stay and remember when they were used, so a hit in any way
/// costs the same and can be inlined. Storage belongs to the caller.
class filter_tlb {
 public:
  filter_tlb() = default;
  /// sets must be a power of two; entries = sets × ways. Call flush() before the first look-up.
  filter_tlb(filter_entry* storage, std::uint32_t sets, std::uint32_t ways)
      : entries_(storage), set_mask_(sets - 1), ways_(ways) {}

  /// Counts an access to a page that is there; false, and nothing happens, when it is not. A signal
  /// handler may interrupt it and look up pages itself: only a count can be off by one then.
  [[gnu::always_inline]] bool hit(std::uint64_t page) {
    filter_entry* entry = set_of(page);
    for (const filter_entry* const end = entry + ways_; entry != end; ++entry) {
      if (entry->page == page) {
        ++entry->accesses;
        entry->last_use = ++clock_;
        return true;
      }
    }
    return false;
  }

  /// Takes `page` in after a look-up that did not find it. Returns what was least recently used in
  /// its set (page ~0: an empty way).
  tlb_entry take_in(std::uint64_t page) {
    filter_entry* oldest = set_of(page);
    const filter_entry* const end = oldest + ways_;
    for (filter_entry* entry = oldest + 1; entry != end; ++entry)
      if (entry->last_use < oldest->last_use) oldest = entry;
    const tlb_entry evicted{oldest->page, oldest->accesses};
    *oldest = {page, 1, ++clock_};
    return evicted;
  }

  /// Pages looked up so far.
  std::uint64_t lookups() const { return clock_; }
  std::uint32_t entry_count() const { return (set_mask_ + 1) * ways_; }
  const filter_entry& entry(std::uint32_t i) const { return entries_[i]; }
  void flush() {
    for (std::uint32_t i = 0; i < entry_count(); ++i) entries_[i] = {~std::uint64_t{0}, 0, 0};
  }

 private:
  filter_entry* set_of(std::uint64_t page) { return entries_ + (page & set_mask_) * ways_; }

  filter_entry* entries_ = nullptr;
  std::uint64_t clock_ = 0;
  std::uint32_t set_mask_ = 0;
  std::uint32_t ways_ = 1;
};

}  // namespace numatch::trace
