// SPDX-License-Identifier: Apache-2.0
#include "mechanism/start_policy.hpp"

namespace numatch {

extern constinit const mechanism_entry scatter_entry =
    start_entries::of_threads<thread_placing::scatter>(
        "scatter", "threads are spread over the nodes", "OpenMP's proc_bind(spread)");

}  // namespace numatch
