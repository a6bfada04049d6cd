// SPDX-License-Identifier: Apache-2.0
#include "ring_truth/ring_truth.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace numatch::ring_truth {
namespace {

constexpr const char* report = R"(process 90
phase 0
thread 0 91
thread 1 92
thread 2 93
region 0 private 0x10000 1
used 0x10000 0 5 5
used 0x20000 0 0 10
used 0x20000 1 0 10
used 0x30000 2 7 0
made 0 short threads, 0 forks, 0 execs, 0 failed
sums running
)";

truth real() {
  std::istringstream text(report);
  return read_truth(text).value();
}

profile empty_profile() {
  profile p;
  for (const std::uint32_t task : {90U, 93U, 92U, 91U}) {
    profiled_thread t;
    t.os_tid = task;
    p.threads.push_back(t);
  }
  return p;
}

void add(profile& p, std::uint64_t page, std::uint32_t thread, std::uint64_t writes) {
  p.pages.push_back({page_number(page), 1, 0, thread_id(thread), 0, writes});
}

TEST(RingTruth, TheTruthItselfHasNothingWrongAndMissesNothing) {
  profile p = empty_profile();
  add(p, 0x10, 3, 1);
  add(p, 0x20, 2, 4);
  add(p, 0x20, 3, 4);
  const comparison found = compare(p, real());
  EXPECT_EQ(found.unknown_threads, 0U);
  EXPECT_EQ(found.wrong_uses, 0U);
  EXPECT_EQ(found.wrong_increments, 0);
  EXPECT_EQ(found.written, 3U);
  EXPECT_EQ(found.written_found, 3U);
  EXPECT_EQ(found.used, 4U);
  EXPECT_EQ(found.used_found, 3U);
  EXPECT_NEAR(found.correlation, 1, 1e-12);
}

TEST(RingTruth, AThreadWhereItNeverWasIsWrong) {
  profile p = empty_profile();
  add(p, 0x20, 1, 2);
  add(p, 0x20, 2, 4);
  const comparison found = compare(p, real());
  EXPECT_EQ(found.wrong_uses, 2U);
  EXPECT_EQ(found.wrong_increments, 4);
  EXPECT_EQ(found.written_found, 1U);
  EXPECT_LT(found.correlation, 0);
}

TEST(RingTruth, ThreadsThatAreMissingAreCounted) {
  profile p = empty_profile();
  p.threads.resize(2);
  EXPECT_EQ(compare(p, real()).unknown_threads, 2U);
}

TEST(RingTruth, WhatIsNoReportIsAnError) {
  std::istringstream text("hello\n");
  EXPECT_FALSE(read_truth(text));
  std::istringstream cut("thread 0 5\nused 0x1000 0\n");
  EXPECT_FALSE(read_truth(cut));
}

}  // namespace
}  // namespace numatch::ring_truth
