// SPDX-License-Identifier: Apache-2.0
#include "mapping/page_placement.hpp"

#include <gtest/gtest.h>

#include "mapping/patterns.hpp"

namespace numatch {
namespace {

page_use use(std::uint64_t first, std::uint64_t pages, std::uint32_t window, std::uint32_t thread,
             std::uint64_t reads, std::uint64_t writes = 0) {
  return {page_number(first), pages, window, thread_id(thread), reads, writes};
}

/// Threads 0 and 1 on node 0, threads 2 and 3 on node 1.
page_placement place(const std::vector<page_use>& pages) {
  profile learned;
  learned.pages = pages;
  return place_pages(learned, {{pu_id(0), pu_id(1), pu_id(2), pu_id(3)}},
                     machine("numa:2 core:2 pu:1"));
}

TEST(PagePlacement, APageGoesToTheNodeThatUsesItMost) {
  const page_placement placed = place({use(7, 1, 0, 0, 5), use(7, 1, 0, 2, 4), use(7, 1, 0, 3, 4)});
  EXPECT_EQ(placed.runs, (std::vector<placed_run>{{page_number(7), 1, node_id(1)}}));
  EXPECT_DOUBLE_EQ(placed.local_mapped, 8.0 / 13);
  EXPECT_DOUBLE_EQ(placed.local_first_touch, 5.0 / 13);
  EXPECT_DOUBLE_EQ(placed.local_interleave, 0.5);
}

TEST(PagePlacement, ReadsWritesAndWindowsAddUp) {
  const page_placement placed =
      place({use(1, 1, 0, 0, 3), use(1, 1, 0, 2, 1, 1), use(1, 1, 1, 2, 1, 1)});
  EXPECT_EQ(placed.runs.front().node, node_id(1));
  EXPECT_EQ(placed.pages_on_node, (std::vector<std::uint64_t>{0, 1}));
}

TEST(PagePlacement, OverlappingRunsAreCutWhereTheUseChanges) {
  // Pages 10-19 belong to thread 0; thread 3 uses 15-24 more heavily.
  const page_placement placed = place({use(10, 10, 0, 0, 2), use(15, 10, 0, 3, 9)});
  EXPECT_EQ(placed.runs, (std::vector<placed_run>{{page_number(10), 5, node_id(0)},
                                                  {page_number(15), 10, node_id(1)}}));
  EXPECT_EQ(placed.pages_on_node, (std::vector<std::uint64_t>{5, 10}));
  EXPECT_DOUBLE_EQ(placed.local_mapped, (5.0 * 2 + 10 * 9) / (10 * 2 + 10 * 9));
}

TEST(PagePlacement, PagesThatNobodyUsesSeparateRuns) {
  const page_placement placed = place({use(1, 2, 0, 0, 1), use(5, 1, 0, 1, 1)});
  EXPECT_EQ(placed.runs, (std::vector<placed_run>{{page_number(1), 2, node_id(0)},
                                                  {page_number(5), 1, node_id(0)}}));
}

TEST(PagePlacement, OnATieFirstTouchDecides) {
  EXPECT_EQ(place({use(1, 1, 0, 2, 4), use(1, 1, 1, 0, 4)}).runs.front().node, node_id(1));
  EXPECT_EQ(place({use(1, 1, 1, 2, 4), use(1, 1, 0, 0, 4)}).runs.front().node, node_id(0));
}

TEST(PagePlacement, AMasterThatTouchesEverythingFirstAsksForInterleave) {
  // Thread 0 initialises, thread 3 works: first touch keeps less than chance would.
  EXPECT_EQ(place({use(0, 100, 0, 0, 1), use(0, 100, 1, 3, 99)}).policy, page_policy::interleave);
  EXPECT_EQ(place({use(0, 100, 0, 3, 1), use(0, 100, 1, 3, 99)}).policy, page_policy::local);
}

TEST(PagePlacement, InterleaveMeansTheNodesOfTheThreads) {
  profile learned;
  learned.pages = {use(1, 1, 0, 0, 1)};
  const topology where = machine("numa:4 core:2 pu:1");
  EXPECT_EQ(place_pages(learned, {{pu_id(0), pu_id(2)}}, where).local_interleave, 0.5);
  EXPECT_EQ(place_pages(learned, {{pu_id(0), pu_id(1)}}, where).local_interleave, 1);
}

TEST(PagePlacement, WithoutPagesAllIsLocal) {
  const page_placement placed = place({});
  EXPECT_TRUE(placed.runs.empty());
  EXPECT_EQ(placed.local_mapped, 1);
  EXPECT_EQ(placed.policy, page_policy::local);
}

TEST(PagePlacement, ThreadsOutsideTheMappingDoNotCount) {
  const page_placement placed = place({use(1, 1, 0, 9, 100), use(1, 1, 0, 2, 1)});
  EXPECT_EQ(placed.runs.front().node, node_id(1));
  EXPECT_EQ(placed.local_mapped, 1);
}

}  // namespace
}  // namespace numatch
