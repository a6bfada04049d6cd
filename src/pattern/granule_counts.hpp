// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/flat_table.hpp"

namespace numatch {

/// Reads and writes of one thread to one granule.
struct use_count {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t total() const { return reads + writes; }
};

/// How often one thread used each granule (page, line, any power of two from 2 bytes up) of its
/// address space. A small direct-mapped table in front combines the accesses of a loop that goes
/// over several arrays, so the big table is looked up about once per granule and pass.
class granule_counts {
 public:
  /// Granules of 1 << shift bytes, shift >= 1.
  explicit granule_counts(unsigned shift) : shift_(shift) {}

  /// One access; one that spans several granules counts once in each of them.
  void add(std::uint64_t address, std::uint32_t bytes, bool write) {
    const std::uint64_t first = address >> shift_;
    const std::uint64_t last_byte = address + (bytes == 0 ? 0 : bytes - 1);
    const std::uint64_t last = (last_byte < address ? ~std::uint64_t{0} : last_byte) >> shift_;
    count(first, write);
    for (std::uint64_t granule = first; granule != last; count(++granule, write)) {
    }
  }

  /// Adds counts made elsewhere.
  void add_granule(std::uint64_t granule, const use_count& use) {
    use_count& sum = table_[granule];
    sum.reads += use.reads;
    sum.writes += use.writes;
  }

  /// each(granule, use_count) for every granule, in no meaningful but a deterministic order; a
  /// granule may come twice, its use is the sum.
  template <class Each>
  void for_each(const Each& each) const {
    table_.for_each(each);
    for (const combined& slot : front_) {
      if (slot.granule != none) each(slot.granule, use_count{slot.uses[0], slot.uses[1]});
    }
  }

  /// Granules counted so far, at least.
  std::size_t size() const { return table_.size(); }

  void clear() {
    table_.clear();
    front_.fill(combined{});
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  static constexpr std::size_t front_slots = 64;
  struct combined {
    std::uint64_t granule = none;
    std::uint64_t uses[2] = {0, 0};
  };

  void count(std::uint64_t granule, bool write) {
    // Arrays a power of two apart would share a slot without the folding.
    combined& slot = front_[(granule ^ (granule >> 6) ^ (granule >> 12)) % front_slots];
    if (slot.granule != granule) [[unlikely]] {
      if (slot.granule != none) add_granule(slot.granule, {slot.uses[0], slot.uses[1]});
      slot = combined{granule, {0, 0}};
    }
    ++slot.uses[write ? 1 : 0];
  }

  std::array<combined, front_slots> front_{};
  flat_table<use_count> table_;
  unsigned shift_;
};

}  // namespace numatch
