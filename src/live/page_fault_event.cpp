// SPDX-License-Identifier: Apache-2.0
#include "live/page_fault_event.hpp"

#include <sys/syscall.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>

#include "live/perf_ring.hpp"
#include "live/sampled_events.hpp"

namespace numatch::live {

namespace {

perf_event_attr software_event(std::uint64_t config) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = config;
  // Events share a ring only when they have one clock.
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_MONOTONIC;
  attributes.exclude_hv = 1;
  return attributes;
}

}  // namespace

perf_event_attr page_fault_attributes(bool kernel_too, bool inherited) {
  perf_event_attr attributes = software_event(PERF_COUNT_SW_PAGE_FAULTS);
  attributes.sample_period = 1;
  attributes.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
  attributes.exclude_kernel = kernel_too ? 0 : 1;
  attributes.inherit = inherited ? 1 : 0;
  attributes.task = 1;
  return attributes;
}

namespace {

class page_faults final : public sampled_events {
 public:
  std::vector<sampled_event> events(bool kernel_too, bool inherited) const override {
    return {{page_fault_attributes(kernel_too, inherited), true}};
  }
  std::optional<sensed_use> use_of(std::span<const std::byte> body, pid_t process) const override {
    const auto sample = perf_ring::as<page_fault_sample>(body);
    if (!sample || static_cast<pid_t>(sample->process) != process) return std::nullopt;
    return sensed_use{static_cast<pid_t>(sample->task), sample->address, std::nullopt, 1,
                      sample->time};
  }
  error refusal(int code, pid_t process) const override {
    return cannot_see_faults(code, process, perf_event_paranoid());
  }
};

}  // namespace

std::unique_ptr<sampled_events> page_fault_events() {
  return std::make_unique<page_faults>();
}

perf_event_attr ring_holder_attributes() {
  perf_event_attr attributes = software_event(PERF_COUNT_SW_DUMMY);
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  return attributes;
}

owned_fd open_event(const perf_event_attr& attributes, pid_t task, int cpu, int leader) {
  return owned_fd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, task, cpu, leader, PERF_FLAG_FD_CLOEXEC)));
}

error cannot_see_faults(int code, pid_t pid, std::optional<int> paranoid) {
  error trouble{std::strerror(code), fmt::format("process {}", pid), ""};
  if (code == EACCES || code == EPERM) {
    trouble.what = "the kernel does not show its page faults to this user";
    trouble.hint = paranoid && *paranoid > 2
                       ? "as root: sysctl kernel.perf_event_paranoid=2"
                       : "be the user who runs the program, or root (CAP_PERFMON)";
  } else if (code == ENOENT || code == ENOSYS || code == EOPNOTSUPP) {
    trouble.what = "this kernel has no page-faults event";
    trouble.hint = "a kernel with CONFIG_PERF_EVENTS";
  } else if (code == EMFILE || code == ENFILE) {
    trouble.what = "not enough file descriptors to see its page faults";
    trouble.hint = "raise the limit (ulimit -Hn)";
  }
  return trouble;
}

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

}  // namespace numatch::live
