// SPDX-License-Identifier: Apache-2.0
#include "compare/counters.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

namespace numatch::compare {

namespace {

struct event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

constexpr std::uint64_t loads_from_other_nodes = PERF_COUNT_HW_CACHE_NODE |
                                                 PERF_COUNT_HW_CACHE_OP_READ << 8U |
                                                 PERF_COUNT_HW_CACHE_RESULT_MISS << 16U;

enum place : std::size_t { instructions, cache_misses, remote_loads };
constexpr event events_counted[] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"last-level cache misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"loads from other nodes", PERF_TYPE_HW_CACHE, loads_from_other_nodes},
};

int open_for(pid_t task, const event& counted) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = counted.type;
  wanted.config = counted.config;
  wanted.disabled = 1;
  wanted.enable_on_exec = 1;
  wanted.inherit = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &wanted, task, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::optional<double> count_of(int descriptor) {
  struct {
    std::uint64_t value, enabled, running;
  } counted{};
  if (descriptor < 0 || ::read(descriptor, &counted, sizeof counted) != sizeof counted ||
      counted.running == 0) {
    return std::nullopt;
  }
  return static_cast<double>(counted.value) * static_cast<double>(counted.enabled) /
         static_cast<double>(counted.running);
}

std::string reason_of(int code) {
  if (code == ENOENT || code == EOPNOTSUPP || code == EINVAL) {
    return "this processor, or the virtual machine, does not count them";
  }
  if (code == EACCES || code == EPERM) {
    return "not allowed; root can allow it with `sysctl kernel.perf_event_paranoid=2`";
  }
  return std::strerror(code);
}

}  // namespace

counters::counters() {
  for (std::size_t i = 0; i < events; ++i) {
    const int tried = open_for(0, events_counted[i]);
    usable_[i] = tried >= 0;
    if (usable_[i]) {
      ::close(tried);
    } else {
      missing_.push_back(fmt::format("{}: {}", events_counted[i].name, reason_of(errno)));
    }
  }
}

counters::~counters() {
  for (const int descriptor : open_) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

void counters::attach(pid_t program) {
  for (std::size_t i = 0; i < events; ++i) {
    if (usable_[i]) open_[i] = open_for(program, events_counted[i]);
  }
}

void counters::read_into(run_figures& figures) {
  std::array<std::optional<double>, events> counts;
  for (std::size_t i = 0; i < events; ++i) {
    counts[i] = count_of(open_[i]);
    if (open_[i] >= 0) ::close(std::exchange(open_[i], -1));
  }
  const std::optional<double>& executed = counts[instructions];
  if (!executed || *executed <= 0) return;
  const auto per_thousand = [&](place what, figure filled) {
    if (counts[what]) figures.set(filled, *counts[what] * 1000 / *executed);
  };
  per_thousand(cache_misses, figure::cache_misses);
  per_thousand(remote_loads, figure::remote_loads);
}

}  // namespace numatch::compare
