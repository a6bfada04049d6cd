// SPDX-License-Identifier: Apache-2.0
#include "ring_program/stress.hpp"

#include <exception>

#include "memory_stress/operations.hpp"
#include "ring_program/random.hpp"

namespace ring {

namespace {

constexpr std::uint64_t stress_stream = 1'000'003;

}  // namespace

unsigned stress_beside(const memory& pages, std::uint64_t seed, const std::atomic<bool>& stop) {
  const std::span<const stress::operation> operations = stress::all_operations();
  random source(seed, stress_stream);
  stress::arena own;
  unsigned wrong = 0;
  while (!stop) {
    const stress::operation& one = operations[source.below(operations.size())];
    stress::surroundings in{own, pages.bytes(), source.next()};
    try {
      wrong += one.run(in) ? 0 : 1;
    } catch (const std::exception&) {
      ++wrong;
    }
  }
  return wrong;
}

}  // namespace ring
