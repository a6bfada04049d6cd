// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "live/owned_fd.hpp"

namespace numatch::live {

/// What a sample of the event consists of, in the order of the kernel's ABI (perf_event_open(2)).
struct page_fault_sample {
  std::uint32_t process = 0;
  std::uint32_t task = 0;
  std::uint64_t time = 0;  ///< nanoseconds of CLOCK_MONOTONIC
  std::uint64_t address = 0;
};

/// The kernel's `page-faults` software event: one sample for every fault, and a record for the
/// birth and the end of every task. `inherited`: later threads have it, too. Its reader is woken
/// when the ring is half full: a wake-up for every sample costs ten times the sample.
perf_event_attr page_fault_attributes(bool kernel_too, bool inherited);

/// An event that never fires and holds a ring that other events write to.
perf_event_attr ring_holder_attributes();

/// Of task `task` (-1: everybody) on processor `cpu` (-1: all), in the group of the event `leader`
/// (-1: of its own). Empty on failure, with errno.
owned_fd open_event(const perf_event_attr& attributes, pid_t task, int cpu, int leader = -1);

/// Why the kernel did not open the event for process `pid`, and what would help. `code`: errno;
/// `paranoid`: /proc/sys/kernel/perf_event_paranoid.
error cannot_see_faults(int code, pid_t pid, std::optional<int> paranoid);
std::optional<int> perf_event_paranoid();

}  // namespace numatch::live
