// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/ranked_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mapping/engine/random.hpp"
#include "mapping/engine/rows.hpp"

namespace numatch::engine {
namespace {

class RankedRow : public testing::TestWithParam<bool> {};

TEST_P(RankedRow, KnowsTheFirstGreatestValueAfterEveryChange) {
  random_source random(1);
  for (const std::size_t count : {1U, 16U, 64U, 65U, 300U, 1100U}) {
    ranked_row row(1100);
    std::vector<std::int32_t> values(padded(count), -100);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int32_t>(random.below(50));
    std::copy(values.begin(), values.end(), row.data());
    row.begin(count, GetParam());
    for (int change = 0; change < 500; ++change) {
      // Mostly the greatest one goes down: others have to be found.
      const std::size_t greatest =
          static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
      ASSERT_EQ(row.first_greatest(), greatest) << count << " values, change " << change;
      const std::size_t place =
          random.below(4) == 0 ? random.below(static_cast<std::uint32_t>(count)) : greatest;
      const std::int32_t more = static_cast<std::int32_t>(random.below(40)) - 25;
      values[place] += more;
      row.add(place, more);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InBlocksAndNot, RankedRow, testing::Bool());

}  // namespace
}  // namespace numatch::engine
