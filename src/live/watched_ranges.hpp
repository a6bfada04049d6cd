// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "live/observed_process.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// The memory of a process that is worth sensing, as far as it is known, and what was mapped where
/// before. Not thread safe.
class watched_ranges {
 public:
  /// `writes_only`: what nobody may write is left out. Code is left out always: all threads read
  /// it, and it is nowhere better placed than where it is.
  explicit watched_ranges(bool writes_only) : writes_only_(writes_only) {}

  /// What is mapped now. False: the same as before.
  bool update(std::vector<mapped_range> mappings);

  /// The mapping that has the address now; null: none that is known.
  const mapped_range* at(std::uint64_t address) const;
  bool is_watched(const mapped_range& range) const;
  /// Those that are watched now, ascending.
  const std::vector<mapped_range>& watched() const { return watched_; }
  std::vector<page_run> watched_pages() const;
  /// Every mapping that ever was, by its first byte; where two overlap, the parts of the older one
  /// that are left.
  const std::map<std::uint64_t, mapped_range>& history() const { return history_; }

 private:
  void remember(const mapped_range& range);
  bool writes_only_;
  std::vector<mapped_range> now_;
  std::vector<mapped_range> watched_;
  std::map<std::uint64_t, mapped_range> history_;
};

}  // namespace numatch::live
