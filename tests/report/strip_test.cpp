// SPDX-License-Identifier: Apache-2.0
#include "report/strip.hpp"

#include <gtest/gtest.h>

#include "report/samples.hpp"

namespace numatch::report {
namespace {

profile with_pages(std::vector<page_use> pages, std::size_t windows) {
  profile p;
  p.threads.resize(4);
  p.pages = std::move(pages);
  for (std::uint64_t w = 0; w < windows; ++w) p.windows.push_back({w * 10, w * 10 + 10});
  return p;
}

page_use use(std::uint64_t first, std::uint64_t pages, std::uint32_t window, std::uint32_t thread,
             std::uint64_t reads) {
  return {page_number(first), pages, window, thread_id(thread), reads, 0};
}

TEST(page_strip, leaves_unused_pages_out) {
  const profile p = with_pages({use(5, 2, 0, 0, 1), use(1000, 1, 0, 1, 1)}, 1);
  const page_strip strip = draw_strip(p, page_runs(p), false);
  ASSERT_EQ(strip.rows.size(), 3u);
  EXPECT_EQ(strip.rows[1].last, page_number(6));
  EXPECT_EQ(strip.rows[2].first, page_number(1000));
  ASSERT_EQ(strip.cells.size(), 3u);
  EXPECT_EQ(strip.cells[2].thread, thread_id(1));
}

TEST(page_strip, joins_pages_and_windows_when_there_are_too_many) {
  const profile p = with_pages({use(0, 10, 0, 0, 1), use(0, 10, 1, 1, 3), use(0, 10, 4, 2, 2)}, 5);
  const page_strip strip = draw_strip(p, page_runs(p), false, 3, 2);
  ASSERT_EQ(strip.rows.size(), 3u);
  EXPECT_EQ(strip.rows[0].pages, 4u);
  EXPECT_EQ(strip.rows[2].pages, 2u);
  ASSERT_EQ(strip.columns.size(), 2u);
  EXPECT_EQ(strip.columns[0].end, 30u);
  EXPECT_EQ(strip.columns[1].end, 50u);
  ASSERT_EQ(strip.cells.size(), 6u);
  EXPECT_EQ(strip.cells[0].thread, thread_id(1));
  EXPECT_DOUBLE_EQ(strip.cells[0].accesses, 16);
  EXPECT_DOUBLE_EQ(strip.cells[0].share, 0.75);
  EXPECT_EQ(strip.cells[0].threads, 2u);
  EXPECT_EQ(strip.cells[5].thread, thread_id(2));
  EXPECT_DOUBLE_EQ(strip.cells[5].accesses, 4);
}

TEST(page_strip, shows_shared_pages_only_when_asked) {
  const profile p = with_pages({use(0, 10, 0, 0, 1), use(10, 2, 0, 0, 1), use(10, 2, 0, 1, 1)}, 1);
  const page_strip strip = draw_strip(p, page_runs(p), true);
  ASSERT_EQ(strip.rows.size(), 2u);
  EXPECT_EQ(strip.rows[0].first, page_number(10));
  EXPECT_EQ(strip.cells.size(), 2u);
}

TEST(page_strip, keeps_every_access) {
  const profile p = test::ring_sample(16, 33);
  double accesses = 0;
  for (const page_strip::cell& cell : draw_strip(p, page_runs(p), false, 37, 5).cells) {
    accesses += cell.accesses;
  }
  EXPECT_DOUBLE_EQ(accesses, static_cast<double>(p.total_accesses));
}

TEST(page_strip, nothing_used_is_an_empty_strip) {
  const page_strip strip = draw_strip(profile(), {}, false);
  EXPECT_TRUE(strip.rows.empty());
  EXPECT_TRUE(strip.cells.empty());
}

}  // namespace
}  // namespace numatch::report
