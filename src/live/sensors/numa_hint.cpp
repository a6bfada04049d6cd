// SPDX-License-Identifier: Apache-2.0
#include "live/fault_sensor.hpp"
#include "live/hint_probe.hpp"
#include "live/policy_armer.hpp"

namespace numatch::live {

namespace {

availability probe(const system_facts& here) {
  if (here.kernel < kernel_version{5, 12}) {
    return {false, "no memory policy balances and leaves pages in place", "Linux 5.12"};
  }
  return probe_hint_faults(here);
}

result<std::unique_ptr<sensor>> make(observed_process& process) {
  // The guardian starts first: it must not hold the descriptors of the fault stream.
  result<std::unique_ptr<policy_armer>> armer = policy_armer::open(process);
  if (!armer) return tl::unexpected(armer.error());
  return fault_sensor::make(process, std::move(*armer));
}

}  // namespace

extern const sensor_entry numa_hint_sensor{
    .name = "numa-hint",
    .summary =
        "lets the kernel's NUMA balancing take its samples, with policies that keep pages "
        "where they are",
    .sees = "reads and writes",
    .source = "mbind, MPOL_F_NUMA_BALANCING (Linux 5.12); mm/mempolicy.c, mpol_misplaced",
    .how = arming::by_kernel,
    .sees_reads = true,
    .rank = 20,
    .probe = probe,
    .make = make,
};

}  // namespace numatch::live
