// SPDX-License-Identifier: Apache-2.0
#include "sim/calendar.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/reference/calendar.hpp"

namespace numatch::sim {
namespace {

/// Requests that come up to `back` cycles earlier than the latest one.
void compare(std::uint64_t spread, std::uint64_t back, std::uint32_t longest) {
  calendar fast;
  ref::calendar plain;
  std::uint64_t now = 0;
  for (const std::uint64_t drawn :
       *rc::gen::container<std::vector<std::uint64_t>>(400, rc::gen::arbitrary<std::uint64_t>())) {
    now += drawn % (spread + 1);
    const std::uint64_t late = drawn / 1024 % (back + 1);
    const std::uint64_t from = now > late ? now - late : 0;
    const std::uint32_t length = static_cast<std::uint32_t>(drawn / 1048576 % (longest + 1));
    RC_ASSERT(fast.reserve(from, length) == plain.reserve(from, length));
  }
}

RC_GTEST_PROP(Calendar, GivesWhatAListOfIntervalsGivesWhileMuchIsFree, ()) {
  compare(200, 1000, 40);
}

RC_GTEST_PROP(Calendar, GivesWhatAListOfIntervalsGivesWhenItIsCrowded, ()) {
  compare(24, 2000, 20);
}

RC_GTEST_PROP(Calendar, GivesWhatAListOfIntervalsGivesForLongStretches, ()) {
  compare(400, 500, 200);
}

RC_GTEST_PROP(Calendar, GivesWhatAListOfIntervalsGivesForSingleCycles, ()) {
  compare(2, 300, 1);
}

TEST(Calendar, FillsAGapOfExactlyTheRightLength) {
  calendar taken;
  EXPECT_EQ(taken.reserve(0, 60), 0U);
  EXPECT_EQ(taken.reserve(124, 64), 124U);
  EXPECT_EQ(taken.reserve(0, 64), 60U);  // over the end of a word
  EXPECT_EQ(taken.reserve(0, 1), 188U);
}

TEST(Calendar, WhatWouldWaitForLongerThanTheWindowStartsAtItsEnd) {
  calendar taken;
  std::uint64_t latest = 0;
  for (int i = 0; i < 1000; ++i) latest = std::max(latest, taken.reserve(0, 64));
  EXPECT_GE(latest, calendar::window - 4 * 64);
  EXPECT_LE(latest, calendar::window);
}

}  // namespace
}  // namespace numatch::sim
