// SPDX-License-Identifier: Apache-2.0
#include "live/running_program.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <string>
#include <string_view>

#include "live/proc_text.hpp"
#include "live/text_fields.hpp"

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

std::optional<std::uint64_t> running_program::resident_pages() {
  const std::optional<std::string> statm = read_proc(fmt::format("/proc/{}/statm", process_.pid()));
  if (!statm) return std::nullopt;
  std::string_view fields = *statm;
  take_until(fields, ' ');
  std::uint64_t pages = 0;
  if (!parse_number(take_until(fields, ' '), 10, pages)) return std::nullopt;
  return pages;
}

void sleep_a_round(const sensor& senses, const observed_process& process, std::uint64_t round) {
  pollfd awaited[] = {{process.pidfd(), POLLIN, 0}, {senses.wake_fd(), POLLIN, 0}};
  const timespec longest{static_cast<time_t>(round / 1'000'000'000),
                         static_cast<long>(round % 1'000'000'000)};
  ::ppoll(awaited, senses.wake_fd() >= 0 ? 2 : 1, &longest, nullptr);
}

}  // namespace numatch::live
