// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "base/result.hpp"

namespace numatch::live {

/// A set of the operating system's processors, as large as this machine needs.
class cpu_mask {
 public:
  /// Where a task may run. 0 is the caller.
  static result<cpu_mask> of_task(pid_t task);
  static cpu_mask of_cpu(unsigned cpu);
  static cpu_mask of_cpus(std::span<const unsigned> cpus);

  bool has(unsigned cpu) const;
  std::vector<unsigned> cpus() const;
  /// False when the task is gone or may not run there. Async-signal-safe.
  bool apply_to(pid_t task) const;

 private:
  std::vector<unsigned long> words_;
};

}  // namespace numatch::live
