// SPDX-License-Identifier: Apache-2.0
#include "live/policy_restore.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>

#include <algorithm>
#include <vector>

#include "live/child_tasks.hpp"
#include "live/policy_ranges.hpp"
#include "live/syscall_injector.hpp"

namespace numatch::live {

namespace {

bool overlaps(const policy_range& range, std::span<const byte_range> changed) {
  return std::any_of(changed.begin(), changed.end(), [&range](const byte_range& other) {
    return range.first < other.end && other.first < range.end;
  });
}

remote_call make_default(std::uint64_t first, std::uint64_t end) {
  remote_call call;
  call.number = SYS_mbind;
  call.arguments = {first, end - first, MPOL_DEFAULT, 0, 0, 0};
  return call;
}

/// One call for neighbours.
std::vector<remote_call> calls_for(const std::vector<policy_range>& ranges,
                                   std::span<const byte_range> changed) {
  std::vector<remote_call> calls;
  std::uint64_t last_end = 0;
  for (const policy_range& range : ranges) {
    if (!is_hint_policy(range.policy) || !overlaps(range, changed)) continue;
    if (!calls.empty() && last_end == range.first) {
      calls.back().arguments[1] += range.end - range.first;
    } else {
      calls.push_back(make_default(range.first, range.end));
    }
    last_end = range.end;
  }
  return calls;
}

}  // namespace

result<void> restore_policies(const observed_process& process,
                              std::span<const byte_range> changed) {
  const result<std::vector<policy_range>> ranges = read_policies(process);
  if (!process.alive()) return {};
  if (!ranges) return tl::unexpected(ranges.error());
  const std::vector<remote_call> calls = calls_for(*ranges, changed);
  const result<injection> done = syscall_injector(process).run(calls);
  if (!done && process.alive()) return tl::unexpected(done.error());
  for (const pid_t pid : children_of(process.pid())) {
    const result<observed_process> child = observed_process::open(pid);
    if (!child) continue;
    if (result<void> restored = restore_policies(*child, changed); !restored) return restored;
  }
  return {};
}

}  // namespace numatch::live
