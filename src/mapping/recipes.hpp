// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/page_placement.hpp"

namespace numatch {

/// A line that a person can copy into a shell, and what it does.
struct recipe {
  std::string line;
  std::string says;
};

/// The mapping for tools that everybody has: OpenMP (OMP_PLACES, GOMP_CPU_AFFINITY), taskset,
/// numactl. All numbers are the operating system's.
std::vector<recipe> recipes_for(const thread_mapping& mapping, const topology& machine,
                                page_policy policy);

/// "0-3,8,12-13": ascending numbers as cpulists write them.
std::string cpu_list(std::vector<unsigned> numbers);

}  // namespace numatch
