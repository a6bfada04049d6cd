// SPDX-License-Identifier: Apache-2.0
#include "live/numa_maps.hpp"

#include <gtest/gtest.h>

namespace numatch::live {
namespace {

mapped_pages only(const std::string& line) {
  const std::vector<mapped_pages> all = parse_numa_maps(line);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? mapped_pages{} : all.front();
}

TEST(NumaMaps, PagesAreCountedPerNode) {
  const mapped_pages pages =
      only("7f0000000000 default anon=5 dirty=5 N0=3 N12=2 kernelpagesize_kB=4\n");
  EXPECT_EQ(pages.first, 0x7f0000000000U);
  EXPECT_EQ(pages.policy, "default");
  EXPECT_EQ(pages.kind, page_kind::anonymous);
  EXPECT_EQ(pages.bytes(), 5U * 4096);
  EXPECT_EQ(pages.bytes_on(12), 2U * 4096);
  EXPECT_EQ(pages.bytes_on(1), 0U);
}

TEST(NumaMaps, AFileKeepsItsNameWithBlanks) {
  const mapped_pages pages =
      only("1000 default file=/tmp/my\\040grid mapped=2 N1=2 kernelpagesize_kB=4");
  EXPECT_EQ(pages.file, "/tmp/my grid");
  EXPECT_EQ(pages.kind, page_kind::file);
}

TEST(NumaMaps, HeapStackAndHugePagesAreKinds) {
  EXPECT_EQ(only("1000 default heap anon=1 N0=1 kernelpagesize_kB=4").kind, page_kind::heap);
  EXPECT_EQ(only("1000 default stack anon=1 N0=1 kernelpagesize_kB=4").kind, page_kind::stack);
  const mapped_pages huge = only(
      "1000 bind:1 file=/anon_hugepage\\040(deleted) huge dirty=2 N1=2 kernelpagesize_kB=2048");
  EXPECT_EQ(huge.kind, page_kind::huge);
  EXPECT_EQ(huge.bytes(), 4U << 20U);
}

TEST(NumaMaps, APolicyMayHaveABlankInItsName) {
  const mapped_pages pages =
      only("1000 prefer (many)=balancing:0-3 anon=1 N2=1 kernelpagesize_kB=4");
  EXPECT_EQ(pages.policy, "prefer (many)=balancing:0-3");
  EXPECT_EQ(pages.bytes_on(2), 4096U);
}

TEST(NumaMaps, DamagedLinesAndNumbersAreLeftOut) {
  EXPECT_TRUE(parse_numa_maps("").empty());
  EXPECT_TRUE(parse_numa_maps("hello\n\n1000\n").empty());
  const mapped_pages pages = only("1000 default N=3 Nx=4 N0=y N1=7 kernelpagesize_kB=0");
  EXPECT_EQ(pages.bytes(), 7U * 4096);
}

}  // namespace
}  // namespace numatch::live
