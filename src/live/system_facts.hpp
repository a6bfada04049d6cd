// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace numatch::live {

/// A kernel's version; compares as versions do.
struct kernel_version {
  unsigned major = 0;
  unsigned minor = 0;
  friend constexpr auto operator<=>(const kernel_version&, const kernel_version&) = default;
};

/// A NUMA node as Linux numbers it.
struct node_facts {
  unsigned os_index = 0;
  std::vector<unsigned> cpus;      ///< online; empty: memory only
  std::uint64_t memory_bytes = 0;  ///< 0: no memory
};

/// What this machine lets this user do, as far as it was asked without changing anything. A value
/// that could not be read is nullopt.
struct system_facts {
  std::string release;  ///< uname -r
  kernel_version kernel;
  uid_t user = 0;
  bool may_trace_all = false;   ///< CAP_SYS_PTRACE
  bool may_sample_all = false;  ///< CAP_PERFMON or CAP_SYS_ADMIN
  bool may_renice_all = false;  ///< CAP_SYS_NICE
  std::vector<node_facts> nodes;
  std::optional<int> perf_event_paranoid;
  bool perf_page_faults = false;  ///< a page-faults event with address and thread could be opened
  std::optional<int> yama_ptrace_scope;  ///< nullopt: no Yama
  std::optional<int> numa_balancing;     ///< nullopt: not built in
  bool soft_dirty = false;               ///< /proc/self/clear_refs 4 and pagemap show it
  std::optional<std::uint64_t> userfaultfd_features;  ///< of UFFDIO_API; nullopt: no userfaultfd
  std::optional<std::string>
      memory_sampling;  ///< PMU with data addresses: "cpu" (PEBS), "ibs_op", "arm_spe_0"
};

/// Asks the running system; takes a few milliseconds, changes nothing.
system_facts read_system_facts();

}  // namespace numatch::live
