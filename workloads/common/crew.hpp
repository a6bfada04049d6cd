// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include <cstdio>
#include <cstdlib>

namespace workload {

/// Runs body(thread) in `threads` OpenMP threads and adds up the numbers of wrong values that they
/// return. Ends the program with exit code 2 when OpenMP gives fewer threads than were asked for.
template <class Body>
std::size_t on_all_threads(unsigned threads, Body body) {
  std::size_t wrong = 0;
  unsigned given = 0;
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
  {
#pragma omp single
    given = static_cast<unsigned>(omp_get_num_threads());
    if (given == threads) wrong += body(static_cast<unsigned>(omp_get_thread_num()));
  }
  if (given != threads) {
    std::fprintf(stderr, "OpenMP gave %u threads instead of %u; see OMP_THREAD_LIMIT\n", given,
                 threads);
    std::exit(2);
  }
  return wrong;
}

/// A barrier of all threads of on_all_threads().
inline constexpr auto omp_wait = [] {
#pragma omp barrier
};

}  // namespace workload
