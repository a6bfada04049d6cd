// SPDX-License-Identifier: Apache-2.0
#include "live/running_program.hpp"

namespace numatch::live {

std::uint64_t nanoseconds_of(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

running_program::running_program(observed_process& process) : process_(process) {
  if (::clock_getcpuclockid(process.pid(), &clock_) != 0) clock_ = CLOCK_MONOTONIC;
}

result<std::vector<mapped_range>> running_program::mappings() {
  result<std::vector<mapped_range>> all = process_.mappings();
  if (!all && !process_.alive()) return std::vector<mapped_range>{};
  return all;
}

}  // namespace numatch::live
