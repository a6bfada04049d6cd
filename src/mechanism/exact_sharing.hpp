// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "mechanism/event.hpp"
#include "mechanism/oracle_pairs.hpp"

namespace numatch::oracle {

/// How the oracle counts; docs/detectors.md defines granules and windows.
struct sharing_rule {
  unsigned shift = 12;       ///< granules of 1 << shift bytes
  std::uint64_t window = 0;  ///< units of instant; 0: one window for all
  pair_count count = pair_count::transfers;
};

/// What the threads use in the windows of time, and what pairs of them shared in those that ended.
class exact_sharing {
 public:
  explicit exact_sharing(const sharing_rule& rule) : rule_(rule) {}

  void note_thread(thread_id thread) { finished_.note_thread(thread.value); }
  std::size_t threads() const { return finished_.rows(); }

  /// Where the accesses of a thread at this time are counted; valid until the next call.
  granule_counts& counts_of(thread_id thread, instant now);

  /// Ends all windows. Returns what was used in the last ones, by granule and thread.
  std::vector<granule_use> close();
  /// Multiplies what was shared in windows that ended.
  void scale(double factor) { finished_.scale(factor); }

  /// Over all windows, those that are open included.
  sharing_matrix sharing() const;

 private:
  /// Per thread; null for one that has not used the window.
  using window_tables = std::vector<std::unique_ptr<granule_counts>>;

  window_tables& window_of(std::uint64_t number);
  std::vector<granule_use> add_window(const window_tables& tables, event_matrix& sums) const;

  sharing_rule rule_;
  std::map<std::uint64_t, window_tables> open_;
  std::uint64_t oldest_open_ = 0;
  event_matrix finished_;
};

}  // namespace numatch::oracle
