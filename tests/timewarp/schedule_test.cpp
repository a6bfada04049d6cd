// SPDX-License-Identifier: Apache-2.0
#include "timewarp/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace timewarp {
namespace {

RC_GTEST_PROP(Schedule, KnowsTheEarliestObjectAfterAnyChanges, ()) {
  std::vector<ticks> times =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<ticks>>(rc::gen::inRange<ticks>(0, 50)));
  schedule of;
  of.assign(times);
  const int changes = *rc::gen::inRange(0, 20);
  for (int i = 0; i < changes; ++i) {
    const std::size_t which = *rc::gen::inRange<std::size_t>(0, times.size());
    times[which] = *rc::gen::inRange<ticks>(0, 50);
    of.set(which, times[which]);
  }
  RC_ASSERT(of.earliest() == *std::min_element(times.begin(), times.end()));
  RC_ASSERT(times[of.earliest_object()] == of.earliest());
}

TEST(Schedule, OfNothingIsEmpty) {
  schedule of;
  EXPECT_TRUE(of.empty());
  of.assign({7});
  EXPECT_FALSE(of.empty());
  of.assign({});
  EXPECT_TRUE(of.empty());
}

}  // namespace
}  // namespace timewarp
