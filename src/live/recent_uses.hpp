// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "base/flat_table.hpp"
#include "live/sensor.hpp"
#include "pattern/granule_counts.hpp"
#include "pattern/sharing_matrix.hpp"

namespace numatch::live {

/// What a sensor saw lately: which thread used which page how often, of the present and the last
/// period. A use of which the sensor does not say what it was counts as a write. Not thread safe.
class recent_uses final : public use_sink {
 public:
  void on_use(const sensed_use& use) override;
  void on_task_start(pid_t, std::uint64_t) override {}
  void on_task_end(pid_t task, std::uint64_t) override;
  void on_lost(std::uint64_t uses) override { lost_ += uses; }

  /// A new period begins; what was seen before the last one is forgotten.
  void turn();

  /// Each page that a task was seen to use, with its uses; in no order that means something.
  void pages_of(pid_t task,
                const std::function<void(std::uint64_t page, const use_count& uses)>& each) const;
  /// Who shares how much with whom, numbered as in `tasks`: the oracle's (docs/detectors.md), of
  /// the uses that were seen.
  sharing_matrix sharing(std::span<const pid_t> tasks) const;
  /// Uses that the kernel had no room for, since the beginning.
  std::uint64_t lost() const { return lost_; }

 private:
  using period = std::unordered_map<pid_t, flat_table<use_count>>;
  period present_;
  period last_;
  std::uint64_t lost_ = 0;
};

}  // namespace numatch::live
