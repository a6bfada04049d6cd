// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <vector>

namespace bench {

/// Seconds that all threads of this process have computed. Other load on the machine changes it far
/// less than elapsed time.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double elapsed_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What `work` takes by `clock`.
template <class Clock, class Work>
double taken(Clock clock, Work&& work) {
  const double before = clock();
  work();
  return clock() - before;
}

inline double median(std::vector<double> values) {
  const std::ptrdiff_t middle = static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), values.begin() + middle, values.end());
  return values[static_cast<std::size_t>(middle)];
}

inline double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

}  // namespace bench
