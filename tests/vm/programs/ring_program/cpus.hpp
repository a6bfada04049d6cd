// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <vector>

#include "ring_program/options.hpp"

namespace ring {

/// The calling thread runs on one CPU, and where it could before when this ends. Throws
/// std::system_error.
class bound_to_cpu {
 public:
  explicit bound_to_cpu(int cpu);
  ~bound_to_cpu();
  bound_to_cpu(const bound_to_cpu&) = delete;
  bound_to_cpu& operator=(const bound_to_cpu&) = delete;

  /// It stays bound.
  void keep() { keep_ = true; }

 private:
  cpu_set_t before_;
  bool keep_ = false;
};

/// The CPUs that the calling thread may use, ascending.
std::vector<int> allowed_cpus();

/// The CPU on which each thread starts: all are used alike, in an order that the seed chose.
std::vector<int> start_cpus(const options& chosen);

}  // namespace ring
