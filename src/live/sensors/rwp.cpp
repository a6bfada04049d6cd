// SPDX-License-Identifier: Apache-2.0
#include "live/fault_sensor.hpp"
#include "live/new_kernel.hpp"
#include "live/sees_faults.hpp"
#include "live/uffd_armer.hpp"

namespace numatch::live {

namespace {

availability probe(const system_facts& here) {
  if (!here.userfaultfd_features) return {false, "there is no userfaultfd", ""};
  if ((*here.userfaultfd_features & uffd_feature_rwp_async) == 0) {
    return {false, "userfaultfd has no RWP_ASYNC", "Linux 7.3"};
  }
  return sees_faults(here);
}

result<std::unique_ptr<sensor>> make(observed_process& process) {
  result<std::unique_ptr<uffd_armer>> armer = uffd_armer::open(process, armed_uses::all);
  if (!armer) return tl::unexpected(armer.error());
  return fault_sensor::make(process, std::move(*armer));
}

}  // namespace

extern const sensor_entry rwp_sensor{
    .name = "rwp",
    .summary =
        "makes chosen pages inaccessible; the kernel lets the first use through and counts it",
    .sees = "reads and writes",
    .source = "userfaultfd, UFFD_FEATURE_RWP_ASYNC (Linux 7.3)",
    .how = arming::by_page,
    .sees_reads = true,
    .rank = 10,
    .probe = probe,
    .make = make,
};

}  // namespace numatch::live
