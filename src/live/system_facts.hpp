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

/// Who else on this machine places threads and pages.
struct rival_facts {
  /// Linux 7.2 and later group a program's threads on one last-level cache.
  enum class state : std::uint8_t { absent, off, on, built_in };
  state cache_aware = state::absent;     ///< built_in: this user may not see whether it is on
  std::optional<std::string> sched_ext;  ///< /sys/kernel/sched_ext/state; nullopt: not built in
  std::string sched_ext_name;            ///< of the scheduler that is loaded
  bool numad = false;                    ///< runs
};

/// Which part of the machine this process may use.
struct limit_facts {
  std::vector<unsigned> cpus;                 ///< that it may run on; empty: unknown
  std::vector<unsigned> nodes;                ///< whose memory it may use; empty: unknown
  std::optional<std::uint64_t> memory_bytes;  ///< least limit of its control groups
  std::optional<double> cpu_time;             ///< processors' worth of time, of its control groups
};

/// The kernel module numatch.ko (docs/kernel-module.md).
struct kernel_module_facts {
  bool loaded = false;   ///< /sys/module/numatch
  bool built = false;    ///< modprobe would find it for the running kernel
  bool headers = false;  ///< of the running kernel, so that it can be built
  bool usable = false;   ///< /dev/numatch opens and speaks our version of its interface
  std::string trouble;   ///< why it is not usable; of probe_kernel()
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
  bool may_administer = false;  ///< CAP_SYS_ADMIN
  std::vector<node_facts> nodes;
  std::optional<int> perf_event_paranoid;
  std::optional<std::uint64_t> perf_buffer_bytes;  ///< that a user may lock per CPU for rings
  bool perf_page_faults = false;  ///< a page-faults event with address and thread could be opened
  int perf_error = 0;             ///< errno of that attempt
  std::optional<int> yama_ptrace_scope;  ///< nullopt: no Yama
  std::optional<int> numa_balancing;     ///< nullopt: not built in
  bool soft_dirty = false;               ///< /proc/self/clear_refs 4 and pagemap show it
  std::optional<std::uint64_t> userfaultfd_features;  ///< of UFFDIO_API; nullopt: no userfaultfd
  std::optional<std::string>
      memory_sampling;  ///< PMU with data addresses: "cpu" (PEBS), "ibs_op", "arm_spe_0"
  std::optional<std::string> huge_pages;    ///< transparent ones: "always", "madvise", "never"
  std::optional<std::string> lockdown;      ///< "none", "integrity", "confidentiality"
  std::optional<bool> secure_boot;          ///< nullopt: no UEFI, or not to be seen
  std::optional<bool> signed_modules_only;  ///< the kernel loads no other modules
  kernel_module_facts module;
  rival_facts rivals;
  limit_facts limits;
};

/// Asks the running system; takes a few milliseconds, changes nothing. Reads files under /proc and
/// /sys, then tries the system calls (probe_kernel).
system_facts read_system_facts();

/// What the files of a tree say ("/" or a copy that a test made): all but the fields of
/// probe_kernel. Files that are missing leave their field as it is in an empty system_facts.
system_facts read_system_files(const std::string& root);

/// Fills perf_page_faults, perf_error, soft_dirty, userfaultfd_features and the module's `usable`
/// and `trouble` by trying them on this process; what it opens, it closes. Of kernel_probes.cpp.
void probe_kernel(system_facts& facts);

}  // namespace numatch::live
