// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/few_cut.hpp"

#include <array>
#include <bit>

namespace numatch::engine {

namespace {

constexpr std::size_t few = few_to_cut;

/// The subsets of up to `few` elements by their size, as bits.
class subset_lists {
 public:
  constexpr subset_lists() {
    std::size_t next = 0;
    for (std::size_t count = 0; count <= few; ++count) {
      for (std::size_t size = 0; size <= count; ++size) {
        first_[count][size] = next;
        for (unsigned bits = 0; bits < 1U << count; ++bits) {
          if (static_cast<std::size_t>(std::popcount(bits)) != size) continue;
          bits_[next++] = static_cast<std::uint8_t>(bits);
        }
        end_[count][size] = next;
      }
    }
  }
  constexpr std::span<const std::uint8_t> of(std::size_t count, std::size_t size) const {
    return std::span(bits_).subspan(first_[count][size], end_[count][size] - first_[count][size]);
  }

 private:
  std::size_t first_[few + 1][few + 1] = {};
  std::size_t end_[few + 1][few + 1] = {};
  std::array<std::uint8_t, (2U << few) - 1> bits_ = {};
};
constexpr subset_lists subsets;

/// Of each subset of a set: twice what it shares inside, less what its vertices share in all, plus
/// what they are pulled to side a.
using subset_values = std::array<std::int32_t, 1U << few>;

void weigh(const cut_scale& set, subset_values& value) {
  std::array<std::int32_t, 1U << (few - 1)> with;  // twice what vertex v shares with each subset
  value[0] = 0;
  with[0] = 0;
  for (std::size_t v = 0; v < set.count; ++v) {
    const std::int32_t* const row = set.rows.data() + v * set.stride;
    for (std::size_t u = 0; u < v; ++u) {
      const std::size_t half = std::size_t{1} << u;
      for (std::size_t bits = 0; bits < half; ++bits) with[half + bits] = with[bits] + 2 * row[u];
    }
    const std::size_t half = std::size_t{1} << v;
    const std::int32_t alone = set.pull[v] - set.degree[v];
    for (std::size_t bits = 0; bits < half; ++bits) {
      value[half + bits] = value[bits] + with[bits] + alone;
    }
  }
}

}  // namespace

void cut_few(cut_scale& set, std::size_t size_a, random_source& random) {
  subset_values value;
  weigh(set, value);
  const std::span<const std::uint8_t> sides = subsets.of(set.count, size_a);
  const std::size_t start = random.below(static_cast<std::uint32_t>(sides.size()));
  std::uint8_t best = sides[start];
  for (const std::span<const std::uint8_t> some : {sides.subspan(start), sides.first(start)}) {
    for (const std::uint8_t side : some) {
      if (value[side] > value[best]) best = side;
    }
  }
  for (std::size_t v = 0; v < set.count; ++v) set.side[v] = best >> v & 1U;
}

}  // namespace numatch::engine
