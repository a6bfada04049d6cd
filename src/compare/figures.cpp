// SPDX-License-Identifier: Apache-2.0
#include "compare/figures.hpp"

namespace numatch::compare {

figure_words words_for(figure f) {
  switch (f) {
    case figure::time:
      return {"time_s", "time, s", "measured: wall clock"};
    case figure::cpu_time:
      return {"cpu_time_s", "CPU time, s", "measured: rusage"};
    case figure::minor_faults:
      return {"minor_faults", "page faults, minor", "measured: rusage"};
    case figure::major_faults:
      return {"major_faults", "page faults, major", "measured: rusage"};
    case figure::cache_misses:
      return {"llc_mpki", "last-level cache misses per 1,000 instructions",
              "measured: hardware counters, user mode"};
    case figure::remote_loads:
      return {"remote_loads_pki", "loads from other nodes per 1,000 instructions",
              "measured: hardware counters, user mode"};
    case figure::energy:
      return {"energy_j", "energy, J", "measured: RAPL, the whole machine"};
  }
  return {};
}

}  // namespace numatch::compare
