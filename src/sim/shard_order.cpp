// SPDX-License-Identifier: Apache-2.0
#include "sim/shard_order.hpp"

#include <algorithm>
#include <bit>

namespace numatch::sim {

void shard_order::sort(std::span<lane* const> lanes, std::size_t shard,
                       std::uint64_t phase_cycles) {
  constexpr std::size_t most_steps = 256;
  // A shift instead of a division; 129 to 256 steps are used.
  const unsigned shift =
      phase_cycles <= most_steps
          ? 0
          : static_cast<unsigned>(std::bit_width((phase_cycles - 1) / most_steps));
  const std::size_t steps = static_cast<std::size_t>((phase_cycles - 1) >> shift) + 1;
  const auto step_of = [&](const shard_reference& r) {
    return std::min<std::size_t>(r.when >> shift, steps - 1);
  };
  place_.assign(steps + 1, 0);
  for (const lane* const from : lanes) {
    for (const shard_reference& r : from->by_shard[shard]) ++place_[step_of(r) + 1];
  }
  for (std::size_t step = 1; step <= steps; ++step) place_[step] += place_[step - 1];
  sorted_.resize(place_[steps]);
  for (const lane* const from : lanes) {
    for (const shard_reference& r : from->by_shard[shard]) sorted_[place_[step_of(r)]++] = r;
  }
  place_.pop_back();
}

std::span<const shard_reference> shard_order::part(std::size_t number, std::size_t parts) const {
  const auto end_of = [&](std::size_t part) -> std::size_t {
    const std::size_t steps = place_.size() * part / parts;
    return steps == 0 ? 0 : place_[steps - 1];
  };
  const std::size_t begin = end_of(number);
  return std::span(sorted_).subspan(begin, end_of(number + 1) - begin);
}

}  // namespace numatch::sim
