// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/annealing.hpp"

#include <bit>
#include <cmath>

namespace numatch::engine {

namespace {

/// -ln of a random number in (0, 1], to about 1 %. Plain arithmetic, so the same on every machine.
float random_patience(std::uint32_t bits) {
  const float x = static_cast<float>(bits | 1U);
  const std::uint32_t word = std::bit_cast<std::uint32_t>(x);
  const float exponent = static_cast<float>(static_cast<std::int32_t>(word >> 23U) - 127 - 32);
  const float m = std::bit_cast<float>((word & 0x7fffffU) | 0x3f800000U) - 1.0F;
  const float log2 = exponent + m * (1.34F - 0.34F * m);
  return -0.6931472F * log2;
}

}  // namespace

void anneal(swap_table& table, const thread_graph& graph, const annealing_plan& plan,
            random_source& random) {
  constexpr std::uint64_t round = 64;
  const std::uint64_t rounds = plan.proposals / round + 1;
  const float factor = std::pow(plan.cold / plan.hot, 1.0F / static_cast<float>(rounds));
  const std::uint32_t vertices = static_cast<std::uint32_t>(table.slot_of().size());
  float temperature = plan.hot;
  for (std::uint64_t r = 0; r < rounds; ++r, temperature *= factor) {
    for (std::uint64_t i = 0; i < round; ++i) {
      const std::uint64_t bits = random.next();
      const std::uint32_t u = static_cast<std::uint32_t>(((bits & 0xffffU) * vertices) >> 16U);
      const std::uint32_t v =
          static_cast<std::uint32_t>((((bits >> 16U) & 0xffffU) * vertices) >> 16U);
      const std::int32_t change = table.change(u, v);
      if (change == 0 && u == v) continue;
      if (change > 0 &&
          static_cast<float>(change) >
              temperature * random_patience(static_cast<std::uint32_t>(bits >> 32U))) {
        continue;
      }
      table.swap(u, v, change);
    }
  }
  table.descend();
  (void)graph;
}

}  // namespace numatch::engine
