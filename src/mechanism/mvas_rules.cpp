// SPDX-License-Identifier: Apache-2.0
#include "mechanism/mvas_rules.hpp"

#include <algorithm>

namespace numatch::mvas {

std::uint32_t highest_count(std::span<const thread_count> tuple) {
  std::uint32_t highest = 0;
  for (const thread_count& t : tuple) highest = std::max(highest, t.count);
  return highest;
}

double pair_frequency(std::uint32_t a, std::uint32_t b, std::uint32_t highest) {
  if (a == 0 || b == 0) return 0;
  const double of_a = static_cast<double>(a) / highest;
  const double of_b = static_cast<double>(b) / highest;
  return (of_a + of_b) / 2;
}

void add_page(std::span<const thread_count> tuple, double alpha, event_matrix& access_matrix) {
  const std::uint32_t highest = highest_count(tuple);
  for (std::size_t l = 0; l < tuple.size(); ++l) {
    for (std::size_t m = l + 1; m < tuple.size(); ++m) {
      const double phi = pair_frequency(tuple[l].count, tuple[m].count, highest);
      if (phi <= alpha) continue;
      access_matrix.add(tuple[l].thread, tuple[m].thread, phi);
      access_matrix.add(tuple[m].thread, tuple[l].thread, phi);
    }
  }
}

}  // namespace numatch::mvas
