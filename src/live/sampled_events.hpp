// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "live/sensor.hpp"

namespace numatch::live {

/// An event that is opened for every thread. `leads`: those after it are in its group, until the
/// next that leads.
struct sampled_event {
  perf_event_attr attributes{};
  bool leads = true;
};

/// Which events tell who uses memory, and what their samples say. Immutable.
class sampled_events {
 public:
  virtual ~sampled_events() = default;
  /// At least one; those that lead also report the births and ends of threads. `kernel_too`: inside
  /// system calls, too; `inherited`: later threads have them, too.
  virtual std::vector<sampled_event> events(bool kernel_too, bool inherited) const = 0;
  /// What the body of a sample says of `process`; nullopt when that is nothing.
  virtual std::optional<sensed_use> use_of(std::span<const std::byte> body,
                                           pid_t process) const = 0;
  /// Why the kernel did not open the events, and what would help. `code`: errno.
  virtual error refusal(int code, pid_t process) const = 0;
};

/// The kernel's page-faults event.
std::unique_ptr<sampled_events> page_fault_events();

}  // namespace numatch::live
