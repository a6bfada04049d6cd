// SPDX-License-Identifier: Apache-2.0
#include "live/page_mover.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <map>

#include "live/proc_text.hpp"
#include "live/sensor.hpp"
#include "support/observed_child.hpp"

namespace numatch::live {
namespace {

/// A kernel with pages that tests arrange. A call takes `call_time`.
class invented_system : public page_system {
 public:
  int move(std::span<const page_number> pages, std::span<const int> nodes,
           std::span<int> status) override {
    if (failure != 0) return failure;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      if (!node_of.contains(pages[i])) {
        status[i] = -ENOENT;
      } else if (nodes.empty()) {
        status[i] = node_of[pages[i]];
      } else if (busy_tries[pages[i]] > 0) {
        --busy_tries[pages[i]];
        status[i] = -EBUSY;
      } else if (stubborn.contains(pages[i])) {
        status[i] = stubborn[pages[i]];
      } else {
        status[i] = node_of[pages[i]] = nodes[i];
      }
    }
    if (!nodes.empty()) {
      calls.push_back(pages.size());
      time += call_time;
    }
    return 0;
  }
  void put(std::uint64_t pages, int node) {
    for (std::uint64_t p = 0; p < pages; ++p) node_of[page_number(p)] = node;
  }

  std::map<page_number, int> node_of;
  std::map<page_number, unsigned> busy_tries;
  std::map<page_number, int> stubborn;  ///< the status of each try
  std::vector<std::size_t> calls;       ///< pages of each call that moves
  int failure = 0;
  std::uint64_t time = 1'000;
  std::uint64_t call_time = 0;
};

class PageMover : public ::testing::Test {
 protected:
  page_mover mover(const page_mover_options& options = {}) {
    return page_mover(system, options, [this] { return system.time; });
  }
  static std::vector<page_move> all(std::uint64_t pages, unsigned node) {
    std::vector<page_move> moves;
    for (std::uint64_t p = 0; p < pages; ++p) moves.push_back({page_number(p), node});
    return moves;
  }
  invented_system system;
};

TEST_F(PageMover, MovesPagesInGroupsOfSixteen) {
  system.put(100, 0);
  page_mover pages = mover();
  pages.ask(all(100, 2));
  EXPECT_EQ(pages.waiting(), 100U);
  ASSERT_TRUE(pages.step());
  EXPECT_TRUE(pages.idle());
  EXPECT_EQ(pages.totals().moved_pages, 100U);
  EXPECT_EQ(pages.totals().moved_bytes, 100 * sensed_page_bytes);
  EXPECT_EQ(system.calls, (std::vector<std::size_t>{16, 16, 16, 16, 16, 16, 4}));
  for (const auto& [page, node] : system.node_of) EXPECT_EQ(node, 2) << page.value;
}

TEST(PageMoverOptions, NewerKernelsAreGivenMorePagesAtOnce) {
  EXPECT_EQ(options_for({6, 1}).group_bytes, 16 * sensed_page_bytes);
  EXPECT_EQ(options_for({6, 12}).group_bytes, 128 * sensed_page_bytes);
}

TEST_F(PageMover, AHugePageMovesAlone) {
  system.put(3, 0);
  page_mover pages = mover();
  const std::vector<page_move> moves{
      {page_number(0), 1}, {page_number(1), 1, 2 << 20}, {page_number(2), 1}};
  pages.ask(moves);
  ASSERT_TRUE(pages.step());
  EXPECT_EQ(system.calls, (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(pages.totals().moved_bytes, (2U << 20) + 2 * sensed_page_bytes);
}

TEST_F(PageMover, AStepEndsWhenItsSliceIsOver) {
  system.put(160, 0);
  system.call_time = 8'000'000;
  page_mover pages = mover();
  pages.ask(all(160, 1));
  ASSERT_TRUE(pages.step());
  EXPECT_EQ(system.calls.size(), 3U);
  EXPECT_EQ(pages.waiting(), 160U - 48U);
  EXPECT_EQ(pages.totals().longest_call, 8'000'000U);
}

TEST_F(PageMover, KeepsToItsBytesPerSecond) {
  system.put(1000, 0);
  page_mover_options options;
  options.bytes_per_second = 100 * 4096;
  page_mover pages = mover(options);
  pages.ask(all(1000, 1));
  for (int step = 0; step < 400; ++step) {
    ASSERT_TRUE(pages.step());
    system.time += 10'000'000;
  }
  // 4 seconds: 400 pages, and the group that the credit was overdrawn with.
  EXPECT_GE(pages.totals().moved_pages, 390U);
  EXPECT_LE(pages.totals().moved_pages, 416U);
}

TEST_F(PageMover, ARestIsNotFollowedByABurst) {
  system.put(1000, 0);
  page_mover_options options;
  options.bytes_per_second = 100 * 4096;
  page_mover pages = mover(options);
  ASSERT_TRUE(pages.step());
  system.time += 60'000'000'000;
  pages.ask(all(1000, 1));
  ASSERT_TRUE(pages.step());
  EXPECT_LE(pages.totals().moved_pages, 48U);
}

TEST_F(PageMover, TriesBusyPagesAgainInLaterSteps) {
  system.put(20, 0);
  system.busy_tries[page_number(3)] = 4;
  page_mover pages = mover();
  pages.ask(all(20, 1));
  ASSERT_TRUE(pages.step());
  EXPECT_EQ(pages.totals().moved_pages, 19U);
  EXPECT_FALSE(pages.idle());
  for (int step = 0; step < 4; ++step) ASSERT_TRUE(pages.step());
  EXPECT_TRUE(pages.idle());
  EXPECT_EQ(pages.totals().moved_pages, 20U);
}

TEST_F(PageMover, CountsPagesThatStayByTheirReason) {
  system.put(8, 0);
  system.node_of.erase(page_number(7));
  system.busy_tries[page_number(0)] = 1'000;
  system.stubborn = {{page_number(1), -EACCES},
                     {page_number(2), -ENOMEM},
                     {page_number(3), -EIO},
                     {page_number(4), 0}};  // said to be where it was
  page_mover pages = mover();
  pages.ask(all(8, 1));
  for (int step = 0; step < 20; ++step) ASSERT_TRUE(pages.step());
  EXPECT_TRUE(pages.idle());
  const auto stayed = [&pages](page_stays reason) {
    return pages.totals().stayed[static_cast<std::size_t>(reason)];
  };
  EXPECT_EQ(stayed(page_stays::busy), 2U);
  EXPECT_EQ(stayed(page_stays::shared), 1U);
  EXPECT_EQ(stayed(page_stays::no_memory), 1U);
  EXPECT_EQ(stayed(page_stays::fixed), 1U);
  EXPECT_EQ(stayed(page_stays::absent), 1U);
  EXPECT_EQ(pages.totals().moved_pages, 2U);
}

TEST_F(PageMover, PagesThatAreThereAlreadyDoNotCount) {
  system.put(4, 1);
  page_mover pages = mover();
  pages.ask(all(4, 1));
  ASSERT_TRUE(pages.step());
  EXPECT_EQ(pages.totals().moved_pages, 0U);
  EXPECT_TRUE(pages.take_origins().empty());
}

TEST_F(PageMover, KnowsWherePagesWereBeforeTheirFirstMove) {
  system.put(2, 3);
  page_mover pages = mover();
  pages.ask(all(2, 1));
  pages.ask(all(2, 2));
  ASSERT_TRUE(pages.step());
  const std::vector<page_move> origins = pages.take_origins();
  ASSERT_EQ(origins.size(), 2U);
  EXPECT_EQ(origins[0].node, 3U);
  EXPECT_TRUE(pages.take_origins().empty());
}

TEST_F(PageMover, AnEndedProcessIsAnErrorAndNothingWaits) {
  system.put(4, 0);
  system.failure = ESRCH;
  page_mover pages = mover();
  pages.ask(all(4, 1));
  const result<void> done = pages.step();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "move_pages: the process has ended");
  EXPECT_TRUE(pages.idle());
}

TEST(KernelPageSystem, KnowsWhereAPageIsAndMovesItThere) {
  const std::vector<char> memory(64 * sensed_page_bytes, 1);
  const std::uint64_t first = reinterpret_cast<std::uintptr_t>(memory.data()) / sensed_page_bytes;
  const std::vector<page_number> pages{page_number(first + 1), page_number(first + 2)};
  kernel_page_system system(::getpid());
  const result<std::vector<int>> nodes = nodes_of_pages(system, pages);
  if (!nodes) GTEST_SKIP() << nodes.error().message();
  ASSERT_EQ(nodes->size(), 2U);
  ASSERT_GE((*nodes)[0], 0);
  std::vector<int> status(2, -1);
  EXPECT_EQ(system.move(pages, *nodes, status), 0);
  EXPECT_EQ(status, *nodes);
  for (const char byte : memory) ASSERT_EQ(byte, 1);
}

TEST(NodesOfPages, PagesInMemoryHaveANodeAndOthersNone) {
  char* const memory = fresh_pages(2);
  memory[0] = 1;
  const page_number used(reinterpret_cast<std::uint64_t>(memory) / sensed_page_bytes);
  const std::vector<page_number> asked{used, page_number(used.value + 1), page_number(1)};
  kernel_page_system system(::getpid());
  const result<std::vector<int>> nodes = nodes_of_pages(system, asked);
  ASSERT_EQ(nodes.has_value(), read_proc("/proc/self/numa_maps").has_value());
  if (!nodes) GTEST_SKIP() << nodes.error().message();
  ASSERT_EQ(nodes->size(), 3U);
  EXPECT_GE((*nodes)[0], 0);
  EXPECT_LT((*nodes)[1], 0);
  EXPECT_LT((*nodes)[2], 0);
}

}  // namespace
}  // namespace numatch::live
