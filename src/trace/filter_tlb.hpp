// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trace/tlb.hpp"

// Freestanding.

namespace numatch::trace {

/// An entry of filter_tlb.
struct filter_entry {
  std::uint64_t address;  ///< of the page, or filter_tlb::nowhere
  std::uint64_t accesses;
  std::uint64_t last_use;  ///< number of the look-up that made it the newest of its set
};

/// A set of filter_tlb. Pointers are the observed program's.
struct filter_set {
  filter_entry* newest;  ///< what the last look-up in the set found
  filter_entry* first;
};

/// The TLB that filters while a program is recorded: the same hits, misses and evictions as `tlb`,
/// for the case that every access counts. `tlb` keeps its ways in the order of use, so a hit in an
/// older way moves entries; here they stay and remember when they became the newest of their set.
/// Nearly all look-ups find the newest, which leaves the order alone: a few instructions, to be
/// inlined. Storage belongs to the caller.
class filter_tlb {
 public:
  static constexpr std::uint32_t least_page_bytes = 64;
  /// In the middle of what no address can be, farther from all addresses than a page is long.
  static constexpr std::uint64_t nowhere = std::uint64_t{1} << 63;
  static constexpr std::size_t storage_bytes(std::uint32_t sets, std::uint32_t ways) {
    return sets * (ways * sizeof(filter_entry) + sizeof(filter_set));
  }

  filter_tlb() = default;
  /// `storage`: storage_bytes(), aligned as a number of 64 bits. sets must be a power of two; pages
  /// have least_page_bytes or more. Call flush() before the first look-up.
  filter_tlb(void* storage, std::uint32_t sets, std::uint32_t ways, std::uint32_t page_shift)
      : sets_(reinterpret_cast<filter_set*>(static_cast<filter_entry*>(storage) + sets * ways)),
        set_mask_((sets - 1) * sizeof(filter_set)),
        page_bytes_(std::uint64_t{1} << page_shift),
        set_shift_(page_shift - std::countr_zero(sizeof(filter_set))),
        ways_(ways),
        entries_(static_cast<filter_entry*>(storage)) {}

  /// Counts an access to a page that is there; false, and nothing happens, when it is not or when
  /// the access touches two pages. `bytes`: 1 to least_page_bytes. A signal handler may interrupt
  /// it and look up pages itself: only a count can be off by one then.
  [[gnu::always_inline]] bool hit(std::uint64_t address, std::uint32_t bytes) {
    filter_set& set = set_of(address);
    const std::uint64_t farthest = page_bytes_ - bytes;
    filter_entry* entry = set.newest;
    if (address - entry->address <= farthest) [[likely]] {
      ++entry->accesses;
      ++now_;
      return true;
    }
    entry = set.first;
    for (const filter_entry* const end = entry + ways_; address - entry->address > farthest;)
      if (++entry == end) return false;
    ++entry->accesses;
    entry->last_use = now_++;
    set.newest = entry;
    return true;
  }

  /// Takes the page of `address` in after a look-up that did not find it. Returns what was least
  /// recently used in its set (page ~0: an empty way).
  tlb_entry take_in(std::uint64_t address) {
    filter_set& set = set_of(address);
    filter_entry* oldest = set.first;
    const filter_entry* const end = oldest + ways_;
    for (filter_entry* entry = oldest + 1; entry != end; ++entry)
      if (entry->last_use < oldest->last_use) oldest = entry;
    const tlb_entry evicted = shown(*oldest);
    *oldest = {address & ~(page_bytes_ - 1), 1, now_++};
    set.newest = oldest;
    return evicted;
  }

  /// Pages looked up so far.
  std::uint64_t lookups() const { return now_ - 1; }
  std::uint64_t page_bytes() const { return page_bytes_; }
  std::uint32_t entry_count() const {
    return static_cast<std::uint32_t>(set_mask_ / sizeof(filter_set) + 1) * ways_;
  }
  tlb_entry entry(std::uint32_t i) const { return shown(entries_[i]); }
  void flush() {
    for (std::uint32_t i = 0; i < entry_count(); ++i) {
      entries_[i] = {nowhere, 0, 0};
      if (i % ways_ == 0) sets_[i / ways_] = {&entries_[i], &entries_[i]};
    }
  }

 private:
  static_assert(std::has_single_bit(sizeof(filter_set)) && sizeof(filter_set) <= least_page_bytes);

  filter_set& set_of(std::uint64_t address) {
    // The mask counts in bytes: there is nothing to multiply.
    return *reinterpret_cast<filter_set*>(reinterpret_cast<char*>(sets_) +
                                          (address >> set_shift_ & set_mask_));
  }
  tlb_entry shown(const filter_entry& entry) const {
    const bool is_empty = entry.address == nowhere;
    return {is_empty ? ~std::uint64_t{0} : entry.address / page_bytes_, entry.accesses};
  }

  filter_set* sets_ = nullptr;
  std::uint64_t now_ = 1;  ///< number of the next look-up; 0 is the last use of an empty entry
  std::uint64_t set_mask_ = 0;
  std::uint64_t page_bytes_ = 0;
  std::uint32_t set_shift_ = 0;
  std::uint32_t ways_ = 1;
  filter_entry* entries_ = nullptr;
};

}  // namespace numatch::trace
