// SPDX-License-Identifier: Apache-2.0
#include "live/huge_ranges.hpp"

#include <gtest/gtest.h>

namespace numatch::live {
namespace {

TEST(HugeRanges, AreTheMappingsThatHoldHugePages) {
  const range_set huge = huge_ranges(
      "400000-401000 r-xp 00000000 08:01 7 /bin/app\n"
      "Size:                  4 kB\n"
      "AnonHugePages:         0 kB\n"
      "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
      "Rss:                4096 kB\n"
      "AnonHugePages:      2048 kB\n"
      "FilePmdMapped:         0 kB\n"
      "VmFlags: rd wr mr mw me ac \n"
      "7f1000000000-7f1000200000 rw-s 00000000 00:0f 9 /dev/hugepages/a\n"
      "Shared_Hugetlb:     2048 kB\n");
  EXPECT_EQ(huge.ranges(), (std::vector<byte_range>{{0x7f0000000000, 0x7f0000400000},
                                                    {0x7f1000000000, 0x7f1000200000}}));
}

TEST(HugeRanges, DamagedTextHasNone) {
  EXPECT_TRUE(huge_ranges("").ranges().empty());
  EXPECT_TRUE(huge_ranges("AnonHugePages: 2048 kB\n").ranges().empty());
  EXPECT_TRUE(huge_ranges("zz-yy\nAnonHugePages: 2048 kB\n").ranges().empty());
  EXPECT_TRUE(huge_ranges("1000-2000\nAnonHugePages: lots\n").ranges().empty());
}

TEST(HugeRanges, AHugePageIsLargerThanAPage) {
  EXPECT_GT(huge_page_bytes(), 4096U);
}

}  // namespace
}  // namespace numatch::live
