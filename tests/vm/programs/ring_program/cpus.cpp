// SPDX-License-Identifier: Apache-2.0
#include "ring_program/cpus.hpp"

#include <cerrno>
#include <system_error>

#include "ring_program/random.hpp"

namespace ring {

namespace {

constexpr std::uint64_t cpu_stream = 1'000'001;

}  // namespace

bound_to_cpu::bound_to_cpu(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_getaffinity(0, sizeof(before_), &before_) != 0 ||
      sched_setaffinity(0, sizeof(one), &one) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot bind a thread");
  }
}

bound_to_cpu::~bound_to_cpu() {
  if (!keep_) sched_setaffinity(0, sizeof(before_), &before_);
}

std::vector<int> allowed_cpus() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read the allowed CPUs");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<int> start_cpus(const options& chosen) {
  const std::vector<int> allowed = allowed_cpus();
  random source(chosen.seed, cpu_stream);
  std::vector<int> cpus;
  for (const unsigned place : shuffled(chosen.threads, source)) {
    cpus.push_back(allowed[place % allowed.size()]);
  }
  return cpus;
}

}  // namespace ring
