// SPDX-License-Identifier: Apache-2.0
#include "live/range_set.hpp"

#include <gtest/gtest.h>

#include <set>

#include "rapidcheck/gtest.h"

namespace numatch::live {
namespace {

TEST(RangeSet, JoinsWhatTouches) {
  range_set set;
  set.add({10, 20});
  set.add({30, 40});
  set.add({20, 30});
  EXPECT_EQ(set.ranges(), (std::vector<byte_range>{{10, 40}}));
  set.add({50, 50});
  EXPECT_EQ(set.ranges().size(), 1U);
}

TEST(RangeSet, TellsPartsAndGaps) {
  range_set set;
  set.add({10, 20});
  set.add({30, 40});
  EXPECT_EQ(set.parts_of({15, 35}), (std::vector<byte_range>{{15, 20}, {30, 35}}));
  EXPECT_EQ(set.gaps_in({0, 50}), (std::vector<byte_range>{{0, 10}, {20, 30}, {40, 50}}));
  EXPECT_EQ(set.gaps_in({12, 18}), std::vector<byte_range>{});
  EXPECT_EQ(range_set().gaps_in({1, 2}), (std::vector<byte_range>{{1, 2}}));
}

RC_GTEST_PROP(RangeSet, IsTheUnionOfItsRanges, ()) {
  range_set set;
  std::set<std::uint64_t> members;
  const std::vector<std::pair<std::uint8_t, std::uint8_t>> ranges =
      *rc::gen::arbitrary<std::vector<std::pair<std::uint8_t, std::uint8_t>>>();
  for (const std::pair<std::uint8_t, std::uint8_t>& range : ranges) {
    set.add({range.first, range.second});
    for (std::uint64_t i = range.first; i < range.second; ++i) members.insert(i);
  }
  std::uint64_t last_end = 0;
  for (const byte_range& range : set.ranges()) {
    RC_ASSERT(range.first < range.end);
    RC_ASSERT(last_end == 0 || last_end < range.first);
    last_end = range.end;
  }
  std::size_t size = 0;
  for (const byte_range& part : set.parts_of({0, 256})) size += part.end - part.first;
  RC_ASSERT(size == members.size());
  for (const byte_range& gap : set.gaps_in({0, 256})) {
    for (std::uint64_t i = gap.first; i < gap.end; ++i) RC_ASSERT(members.count(i) == 0);
    size += gap.end - gap.first;
  }
  RC_ASSERT(size == 256U);
}

}  // namespace
}  // namespace numatch::live
