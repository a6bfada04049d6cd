// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "live/observed_process.hpp"
#include "live/sensing.hpp"

namespace numatch::live {

/// Nanoseconds of a clock; 0 when it is gone.
std::uint64_t nanoseconds_of(clockid_t clock);

/// What sensing has to know about a process, from /proc and its clock.
class running_program final : public sensed_program {
 public:
  /// `process` outlives it.
  explicit running_program(observed_process& process);
  result<std::vector<mapped_range>> mappings() override;
  std::uint64_t processor_time() override { return nanoseconds_of(clock_); }

 private:
  observed_process& process_;
  clockid_t clock_ = CLOCK_MONOTONIC;
};

}  // namespace numatch::live
