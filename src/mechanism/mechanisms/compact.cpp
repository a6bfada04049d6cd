// SPDX-License-Identifier: Apache-2.0
#include "mechanism/start_policy.hpp"

namespace numatch {

extern constinit const mechanism_entry compact_entry =
    start_entries::of_threads<thread_placing::compact>(
        "compact", "threads fill the PUs in order, node after node", "OpenMP's proc_bind(close)");

}  // namespace numatch
