// SPDX-License-Identifier: Apache-2.0
#include "live/fault_sensor.hpp"
#include "live/hint_probe.hpp"

namespace numatch::live {

namespace {

result<std::unique_ptr<sensor>> make(observed_process& process) {
  return fault_sensor::make(process, nullptr);
}

}  // namespace

extern const sensor_entry numa_hint_passive_sensor{
    .name = "numa-hint-passive",
    .summary =
        "watches the samples that NUMA balancing takes anyway; the kernel moves pages meanwhile",
    .sees = "reads and writes",
    .source = "NUMA balancing (Linux 3.8)",
    .how = arming::by_kernel,
    .sees_reads = true,
    .rank = 50,
    .probe = probe_hint_faults,
    .make = make,
};

}  // namespace numatch::live
