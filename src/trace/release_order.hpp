// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "trace/reader.hpp"

namespace numatch::trace {

/// The happens-before edges of a trace: which acquires must wait for which releases. An acquire of
/// an object waits for all releases of the object with a lower stamp. Memory: 16 bytes per release.
class release_order {
 public:
  /// Reads all events of the trace once.
  static result<release_order> read(const reader& trace);
  /// Of releases that are known already.
  struct release {
    std::uint64_t object = 0;
    std::uint64_t stamp = 0;
  };
  static release_order make(std::span<const release> known);

  /// The virtual time at which all of them had happened, 0 where there are none; empty when one has
  /// not happened yet.
  std::optional<std::uint64_t> ready_time(std::uint64_t object, std::uint64_t acquire_stamp) const;

  /// Has this release happened at `time`; then ready_time() of the object may have changed.
  void happened(std::uint64_t object, std::uint64_t release_stamp, std::uint64_t time);

  /// True when some thread marks a region of interest.
  bool has_region_of_interest() const { return has_region_of_interest_; }

 private:
  void prepare();
  struct releases {
    std::vector<std::uint64_t> stamps;  ///< ascending
    /// Of each: not_yet, or its time; in the prefix that has wholly happened, the latest time so
    /// far.
    std::vector<std::uint64_t> times;
    std::size_t prefix = 0;
  };
  std::unordered_map<std::uint64_t, releases> objects_;
  bool has_region_of_interest_ = false;
};

}  // namespace numatch::trace
