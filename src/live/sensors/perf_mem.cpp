// SPDX-License-Identifier: Apache-2.0
// The processor samples accesses to memory by itself: PEBS on Intel's, IBS on AMD's. Nothing is
// armed, and pages that are used from the caches are seen as well.
#include "live/fault_sensor.hpp"
#include "live/memory_events.hpp"

namespace numatch::live {

namespace {

availability probe(const system_facts& here) {
  if (!here.memory_sampling) {
    return {false, "the processor, or its virtual machine, samples no accesses to memory",
            "PEBS or IBS"};
  }
  const std::string& unit = *here.memory_sampling;
  if (unit.starts_with("arm_spe_")) {
    return {false, "Arm's SPE writes packets of its own, which are not read", "PEBS or IBS"};
  }
  if (here.may_sample_all) return {true, "", ""};
  if (unit == "ibs_op") {
    return {false, "IBS sees all programs of a processor, and the kernel, too", "CAP_PERFMON"};
  }
  if (here.perf_event_paranoid.value_or(0) > 2) {
    return {false,
            fmt::format("the kernel lets nobody sample (perf_event_paranoid is {})",
                        *here.perf_event_paranoid),
            "sysctl kernel.perf_event_paranoid=2"};
  }
  return {true, "", ""};
}

result<std::unique_ptr<sensor>> make(observed_process& process) {
  std::vector<memory_unit> units = memory_units(system_tree("/"));
  std::erase_if(units, [](const memory_unit& unit) { return unit.events.empty(); });
  if (units.empty()) {
    return fail("sensor perf-mem", "the processor names no event that samples accesses to memory");
  }
  const bool whole_machine = units.front().by == memory_unit::maker::ibs;
  using reach = fault_stream::reach;
  result<fault_stream> seen = fault_stream::open(process, reach::best, memory_events(units));
  // Before Linux 6.5 IBS knows no programs, only processors: others are left out afterwards.
  if (!seen && whole_machine && process.alive()) {
    seen = fault_stream::open(process, reach::machine, memory_events(units));
  }
  if (!seen) return tl::unexpected(seen.error());
  return fault_sensor::of(std::move(*seen));
}

}  // namespace

extern const sensor_entry perf_mem_sensor{
    .name = "perf-mem",
    .summary = "the processor itself samples accesses; nothing is armed (PEBS, IBS)",
    .sees = "reads and writes, told apart",
    .source = "perf_event_open(2), union perf_mem_data_src; Intel PEBS, AMD IBS",
    .how = arming::by_hardware,
    .sees_reads = true,
    .rank = 60,
    .probe = probe,
    .make = make,
};

}  // namespace numatch::live
