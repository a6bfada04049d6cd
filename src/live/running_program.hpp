// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "live/observed_process.hpp"
#include "live/sensing.hpp"

namespace numatch::live {

/// Nanoseconds of a clock; 0 when it is gone.
std::uint64_t nanoseconds_of(clockid_t clock);
/// Of the clock that sensors use and that never falls.
inline std::uint64_t now_nanoseconds() {
  return nanoseconds_of(CLOCK_MONOTONIC);
}

/// What sensing has to know about a process, from /proc and its clock.
class running_program final : public sensed_program {
 public:
  /// `process` outlives it.
  explicit running_program(observed_process& process);
  result<std::vector<mapped_range>> mappings() override;
  std::uint64_t processor_time() override { return nanoseconds_of(clock_); }
  std::optional<std::uint64_t> resident_pages() override;

 private:
  observed_process& process_;
  clockid_t clock_ = CLOCK_MONOTONIC;
};

/// Until the sensor has much to collect, the process has ended, or `round` nanoseconds are over.
void sleep_a_round(const sensor& senses, const observed_process& process, std::uint64_t round);

}  // namespace numatch::live
