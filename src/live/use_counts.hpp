// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "live/observed_process.hpp"
#include "live/sensor.hpp"
#include "live/use_windows.hpp"
#include "pattern/profile.hpp"

namespace numatch::live {

/// What a sensor saw of a program, counted: which thread used which page when. Threads are numbered
/// in the order in which they start. Not thread safe.
class use_counts : public use_sink {
 public:
  /// `began`: nanoseconds of CLOCK_MONOTONIC, where the profile's time begins. `name_of` is asked
  /// for a thread's name when it starts, and again at the end for those that live.
  use_counts(std::uint64_t began, unsigned most_windows, std::function<std::string(pid_t)> name_of);

  void on_use(const sensed_use& use) override;
  void on_task_start(pid_t task, std::uint64_t time) override;
  void on_task_end(pid_t task, std::uint64_t time) override;
  void on_lost(std::uint64_t) override {}

  /// More than a profile can hold; further ones are not counted.
  bool too_many_threads() const { return threads_.size() >= max_profile_threads; }

  /// Threads, sharing, windows, pages and objects of a profile until the time `end`.
  ///
  /// Sharing is the oracle's (docs/detectors.md): per page min(a(i), a(j), w(i) + w(j)), of the
  /// uses that were seen. A use that the sensor could not tell from a write counts as a read in the
  /// pages and, as it may be a write, as one here: of such uses alone this is min(a(i), a(j)).
  void fill(profile& learned, const std::map<std::uint64_t, mapped_range>& mappings,
            std::uint64_t end);

 private:
  /// Microseconds since the beginning.
  std::uint64_t profile_time(std::uint64_t time) const;
  thread_id thread_of(pid_t task, std::uint64_t time);

  std::uint64_t began_;
  std::function<std::string(pid_t)> name_of_;
  std::vector<profiled_thread> threads_;
  std::unordered_map<pid_t, thread_id> living_;
  use_windows windows_;
  /// For the sharing, by thread and page: what may be a write is one.
  std::vector<flat_table<use_count>> sharing_uses_;
};

}  // namespace numatch::live
