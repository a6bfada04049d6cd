// SPDX-License-Identifier: Apache-2.0
#include "live/cpu_mask.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace numatch::live {

namespace {

constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;

}  // namespace

result<cpu_mask> cpu_mask::of_task(pid_t task) {
  cpu_mask mask;
  // The kernel refuses a mask that is smaller than its own, which cannot be asked for.
  for (std::size_t words = 16; words <= 4096; words *= 2) {
    mask.words_.assign(words, 0);
    const long got =
        ::syscall(SYS_sched_getaffinity, task, words * sizeof(unsigned long), mask.words_.data());
    if (got >= 0) return mask;
    if (errno != EINVAL) break;
  }
  return fail("sched_getaffinity", std::strerror(errno));
}

cpu_mask cpu_mask::of_cpu(unsigned cpu) {
  return of_cpus(std::span(&cpu, 1));
}

cpu_mask cpu_mask::of_cpus(std::span<const unsigned> cpus) {
  cpu_mask mask;
  for (const unsigned cpu : cpus) {
    const std::size_t word = cpu / word_bits;
    if (word >= mask.words_.size()) mask.words_.resize(word + 1, 0);
    mask.words_[word] |= 1UL << (cpu % word_bits);
  }
  return mask;
}

bool cpu_mask::has(unsigned cpu) const {
  const std::size_t word = cpu / word_bits;
  return word < words_.size() && ((words_[word] >> (cpu % word_bits)) & 1UL) != 0;
}

std::vector<unsigned> cpu_mask::cpus() const {
  std::vector<unsigned> set;
  for (unsigned cpu = 0; cpu < words_.size() * word_bits; ++cpu) {
    if (has(cpu)) set.push_back(cpu);
  }
  return set;
}

bool cpu_mask::apply_to(pid_t task) const {
  return ::syscall(SYS_sched_setaffinity, task, words_.size() * sizeof(unsigned long),
                   words_.data()) == 0;
}

}  // namespace numatch::live
