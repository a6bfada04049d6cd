// SPDX-License-Identifier: Apache-2.0
#include "topology/drawing.hpp"

#include <gtest/gtest.h>

#include "support/expect_text.hpp"

namespace numatch {
namespace {

TEST(Drawing, ShowsNodesCachesAndWhatIsOnThePus) {
  const topology machine = topology::load("simics-4x2").value();
  const std::string text = draw_machine(machine, {"T0", "", "T1,T2", "", "", "", "", "T3"});
  EXPECT_TRUE(contains(text, "simics-4x2: 4 NUMA nodes, 8 PUs\n"));
  EXPECT_TRUE(contains(text, "├─ NUMANode 1, L2 1 MiB\n│  └─ PU, L1 16 KiB\n│     2:T1,T2 3:-\n"));
  EXPECT_TRUE(contains(text, "6:-  7:T3\n"));
}

TEST(Drawing, CoresOfTwoPusAreCells) {
  const std::string text = draw_machine(topology::load("numa:2 core:2 pu:2").value());
  EXPECT_TRUE(contains(text, "└─ Core [PU …]\n      [4 5] [6 7]\n"));
}

TEST(Drawing, LongRowsAreWrapped) {
  const std::string text = draw_machine(topology::load("numa:2 core:64 pu:2").value());
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    EXPECT_LE(end - start, 120U) << "100 columns, and the lines of the tree have 3 bytes each";
    start = end + 1;
  }
}

TEST(Drawing, NumbersOfTheSystemAreShownWhereTheyDiffer) {
  const std::string text = draw_machine(
      topology::load(NUMATCH_SOURCE_DIR "/tests/topology/data/restricted_cpuset.xml").value());
  EXPECT_TRUE(contains(text, "NUMANode 1 (system: 2)"));
  EXPECT_TRUE(contains(text, "3=c6 4=c7"));
  EXPECT_TRUE(contains(text, "memory without processors"));
}

TEST(Drawing, DistancesSayWhetherTheyAreKnown) {
  EXPECT_TRUE(contains(draw_node_distances(topology::load("nehalem-2x4").value()), "states them"));
  EXPECT_TRUE(contains(draw_node_distances(topology::load("nehalem-2x4").value()), "18"));
  EXPECT_TRUE(contains(draw_node_distances(topology::load("numa:2 pu:1").value()), "assumed"));
  EXPECT_EQ(draw_node_distances(topology::load("numa:1 pu:4").value()), "");
}

TEST(Drawing, SizesAreInTheUnitThatFits) {
  EXPECT_EQ(size_text(512), "512 B");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(20U << 20U), "20 MiB");
}

}  // namespace
}  // namespace numatch
