// SPDX-License-Identifier: Apache-2.0
// The project's own kernel module: a page table for each thread, so that the first use of each page
// by each thread is seen, and no thread hides another.
#include "live/module_state.hpp"
#include "live/view_sensor.hpp"

namespace numatch::live {

namespace {

#if defined(__x86_64__)
constexpr bool is_its_processor = true;
#else
constexpr bool is_its_processor = false;
#endif

availability probe(const system_facts& here) {
  const kernel_module_facts& module = here.module;
  if (module.usable) return {true, "", ""};
  if (!is_its_processor) return {false, "the kernel module is for x86-64", "x86-64"};
  if (module.loaded) {
    return {false, module.trouble, "CAP_SYS_ADMIN, or CAP_PERFMON for programs of the same user"};
  }
  if (!is_tried_by_module(here.kernel)) {
    return {false, "the kernel module was tried on Linux 6.1 and 6.12 only", "Linux 6.1 or 6.12"};
  }
  if (module.built)
    return {false, "the kernel module is not loaded", "as root: numatch module load"};
  if (module.headers) {
    return {false, "the kernel module is not loaded",
            "as root: numatch module build, and numatch module load"};
  }
  return {false, "the kernel module is not loaded, and cannot be built without kernel headers",
          fmt::format("linux-headers-{}, and as root: numatch module build, numatch module load",
                      here.release)};
}

result<std::unique_ptr<sensor>> make(observed_process& process) {
  constexpr std::uint64_t seed = 1;
  result<std::unique_ptr<view_sensor>> made =
      view_sensor::open(process, view_sensor::closing::by_arm, seed);
  if (!made) return tl::unexpected(made.error());
  if (result<void> begun = (*made)->induce({.what = fault_plan::kind::thread_views}); !begun) {
    return tl::unexpected(begun.error());
  }
  return std::move(*made);
}

}  // namespace

extern const sensor_entry module_sensor{
    .name = "module",
    .summary =
        "the kernel module gives each thread a page table of its own; no thread hides another's "
        "use",
    .sees = "reads and writes",
    .source = "numatch.ko (docs/kernel-module.md); MVAS, CCGrid 2016",
    .how = arming::whole,
    .sees_reads = true,
    .rank = 5,
    .probe = probe,
    .make = make,
};

}  // namespace numatch::live
