// SPDX-License-Identifier: Apache-2.0
#include "profiler/interval_map.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace numatch {
namespace {

TEST(IntervalMap, AGapReachesFromNeighbourToNeighbour) {
  interval_map<int> map;
  map.assign({10, 20}, 1);
  map.assign({30, 40}, 2);
  const interval_map<int>::found gap = map.find(25);
  EXPECT_EQ(gap.value, nullptr);
  EXPECT_EQ(gap.range.first, 20U);
  EXPECT_EQ(gap.range.end, 30U);
  ASSERT_NE(map.find(19).value, nullptr);
  EXPECT_EQ(*map.find(19).value, 1);
  EXPECT_EQ(map.find(20).value, nullptr) << "ranges are half-open";
}

TEST(IntervalMap, ErasingTheMiddleKeepsBothEnds) {
  interval_map<int> map;
  map.assign({10, 40}, 1);
  map.erase({20, 30});
  EXPECT_NE(map.find(19).value, nullptr);
  EXPECT_EQ(map.find(20).value, nullptr);
  EXPECT_NE(map.find(30).value, nullptr);
  EXPECT_EQ(map.size(), 2U);
}

TEST(IntervalMap, VisitsThePartsInsideARange) {
  interval_map<int> map;
  map.assign({10, 20}, 1);
  map.assign({30, 40}, 2);
  std::uint64_t bytes = 0;
  map.visit({15, 32}, [&](const address_range& part, int) { bytes += part.end - part.first; });
  EXPECT_EQ(bytes, 7U);
}

RC_GTEST_PROP(IntervalMap, AgreesWithAnArrayOfAddresses, ()) {
  constexpr std::uint64_t space = 40;
  interval_map<int> map;
  std::array<std::optional<int>, space> model;
  const int steps = *rc::gen::inRange(0, 30);
  for (int step = 0; step < steps; ++step) {
    const std::uint64_t first = *rc::gen::inRange<std::uint64_t>(0, space);
    const std::uint64_t end = *rc::gen::inRange<std::uint64_t>(first, space + 1);
    const bool erase = *rc::gen::arbitrary<bool>();
    if (erase) {
      map.erase({first, end});
    } else {
      map.assign({first, end}, step);
    }
    for (std::uint64_t a = first; a < end; ++a) {
      model[a] = erase ? std::nullopt : std::optional<int>(step);
    }
  }
  for (std::uint64_t a = 0; a < space; ++a) {
    const interval_map<int>::found found = map.find(a);
    RC_ASSERT((found.value != nullptr) == model[a].has_value());
    if (found.value != nullptr) RC_ASSERT(*found.value == *model[a]);
    for (std::uint64_t b = found.range.first; b < std::min(found.range.end, space); ++b) {
      RC_ASSERT(model[b] == model[a]);
    }
  }
}

}  // namespace
}  // namespace numatch
