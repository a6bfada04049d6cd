// SPDX-License-Identifier: Apache-2.0
#include "live/sees_faults.hpp"

namespace numatch::live {

availability sees_faults(const system_facts& here) {
  if (here.perf_page_faults) return {true, "", ""};
  if (here.perf_event_paranoid.value_or(0) > 2 && !here.may_sample_all) {
    return {false,
            fmt::format("the kernel shows no page faults (perf_event_paranoid is {})",
                        *here.perf_event_paranoid),
            "sysctl kernel.perf_event_paranoid=2"};
  }
  return {false, "the kernel shows no page faults", "perf_event_open(2)"};
}

}  // namespace numatch::live
