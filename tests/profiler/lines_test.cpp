// SPDX-License-Identifier: Apache-2.0
#include "profiler/lines.hpp"

#include <gtest/gtest.h>

#include "profiler/synthetic.hpp"

namespace numatch {
namespace {

constexpr std::uint64_t at = 0x100000;

struct Lines : testing::Test {
  object_observer objects{4096};
  line_observer lines{objects};
  event_maker make;
  profile learned;

  void access(std::uint32_t thread, std::uint64_t address, bool write, std::uint32_t bytes = 8) {
    touch(objects, thread, address, 1, write, bytes);
    touch(lines, thread, address, 1, write, bytes);
  }
  void finish() {
    ASSERT_TRUE(objects.finish(learned));
    ASSERT_TRUE(lines.finish(learned));
  }
};

TEST_F(Lines, CountersOfTwoThreadsInOneLineAreFalselyShared) {
  objects.on_event(thread_id{0}, make(trace::event_kind::allocate, {at, 64, 0x4001}));
  for (int i = 0; i < 10; ++i) {
    access(0, at, true);
    access(1, at + 8, true);
  }
  finish();
  ASSERT_EQ(learned.false_shares.size(), 1U);
  const false_sharing& found = learned.false_shares[0];
  EXPECT_EQ(found.line_address, at);
  EXPECT_EQ(found.accesses, 19U) << "all but the one before the second thread came";
  EXPECT_EQ(found.writes, 19U);
  ASSERT_EQ(found.parts.size(), 2U);
  EXPECT_EQ(found.parts[0].bytes_written, 0xffU);
  EXPECT_EQ(found.parts[1].bytes_written, 0xff00U);
  EXPECT_EQ(found.parts[0].bytes_read, 0U);
  ASSERT_EQ(found.object, 0);
  EXPECT_EQ(learned.objects[0].name, "allocated at 0x4001");
}

TEST_F(Lines, BytesThatAreReallySharedAreNotReported) {
  for (int i = 0; i < 10; ++i) {
    access(0, at, true);
    access(1, at, false);
    access(1, at + 8, true);
  }
  finish();
  EXPECT_TRUE(learned.false_shares.empty());
}

TEST_F(Lines, ReadingAloneIsNoFalseSharing) {
  for (int i = 0; i < 10; ++i) {
    access(0, at, false);
    access(1, at + 8, false);
  }
  finish();
  EXPECT_TRUE(learned.false_shares.empty());
}

TEST_F(Lines, AReaderSuffersFromItsNeighboursWrites) {
  for (int i = 0; i < 10; ++i) {
    access(0, at + 60, true, 4);
    access(1, at, false, 1);
  }
  finish();
  ASSERT_EQ(learned.false_shares.size(), 1U);
  EXPECT_EQ(learned.false_shares[0].parts[0].bytes_written, 0xfULL << 60);
  EXPECT_EQ(learned.false_shares[0].parts[1].bytes_read, 1U);
}

TEST_F(Lines, DifferentLinesOfAPageAreNotFalselyShared) {
  for (int i = 0; i < 10; ++i) {
    access(0, at, true);
    access(1, at + 64, true);
  }
  finish();
  EXPECT_TRUE(learned.false_shares.empty());
}

TEST_F(Lines, ABlockThatChangesHandsOnceIsNotFalselyShared) {
  access(2, at + 128, true);
  access(0, at + 192, true);  // the page is watched from here on
  for (int i = 0; i < 10; ++i) access(0, at, true);
  for (int i = 0; i < 10; ++i) access(1, at + 8, true);
  finish();
  EXPECT_TRUE(learned.false_shares.empty());
}

TEST_F(Lines, AnAccessAcrossTheBoundaryTouchesBothLines) {
  for (int i = 0; i < 10; ++i) {
    access(0, at + 60, true, 8);
    access(1, at, true, 8);
    access(1, at + 100, true, 8);
  }
  finish();
  ASSERT_EQ(learned.false_shares.size(), 2U);
  EXPECT_EQ(learned.false_shares[0].parts[0].bytes_written |
                learned.false_shares[1].parts[0].bytes_written,
            0xf00000000000000fU);
}

TEST_F(Lines, TheBusiestLineComesFirst) {
  for (int i = 0; i < 10; ++i) {
    access(0, at, true);
    access(1, at + 8, true);
    for (int more = 0; more < 5; ++more) access(0, at + 640, true);
    access(1, at + 648, true);
  }
  finish();
  ASSERT_EQ(learned.false_shares.size(), 2U);
  EXPECT_EQ(learned.false_shares[0].line_address, at + 640);
}

TEST(LinesLimit, IsSaidInTheMetadata) {
  object_observer objects{4096};
  line_observer lines{objects, 4096};
  for (int i = 0; i < 3; ++i) {
    for (std::uint64_t p = 0; p < 4; ++p) {
      touch(lines, 0, at + p * 4096, 1, true);
      touch(lines, 1, at + p * 4096 + 8, 1, true);
    }
  }
  profile learned;
  ASSERT_TRUE(objects.finish(learned));
  ASSERT_TRUE(lines.finish(learned));
  EXPECT_EQ(learned.false_shares.size(), 1U) << "there was room for one page";
  ASSERT_TRUE(learned.metadata.contains("false_sharing_limit"));
}

}  // namespace
}  // namespace numatch
