// SPDX-License-Identifier: Apache-2.0
#include "profiler/page_usage.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <tuple>

#include "profiler/page_runs.hpp"

namespace numatch {
namespace {

void use(page_usage_observer& observer, std::uint32_t thread, std::uint64_t time,
         std::uint64_t address, bool write = false, std::uint32_t bytes = 8) {
  const trace::access one{address, 0, bytes, write};
  observer.on_accesses(thread_id(thread), time, {&one, 1});
}

profile finished(page_usage_observer& observer) {
  profile p;
  EXPECT_TRUE(observer.finish(p));
  return p;
}

using row = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t,
                       std::uint64_t>;

/// (first page, pages, window, thread, reads, writes)
std::vector<row> rows_of(const std::vector<page_use>& uses) {
  std::vector<row> rows;
  for (const page_use& u : uses) {
    rows.emplace_back(u.first_page.value, u.pages, u.window, u.thread.value, u.reads, u.writes);
  }
  return rows;
}

TEST(page_usage, reads_and_writes_are_counted_per_page_and_thread) {
  page_usage_observer observer({});
  use(observer, 0, 0, 0x5000);
  use(observer, 0, 1, 0x5010, true);
  use(observer, 1, 2, 0x5020);
  use(observer, 1, 3, 0x9000, true);
  const profile p = finished(observer);
  EXPECT_EQ(rows_of(p.pages),
            (std::vector<row>{{5, 1, 0, 0, 1, 1}, {5, 1, 0, 1, 1, 0}, {9, 1, 0, 1, 0, 1}}));
  EXPECT_EQ(p.windows.size(), 1u);
}

TEST(page_usage, an_access_across_a_boundary_counts_on_both_pages) {
  page_usage_observer observer({});
  use(observer, 0, 0, 0x5ffc, true, 8);
  EXPECT_EQ(rows_of(finished(observer).pages), (std::vector<row>{{5, 2, 0, 0, 0, 1}}));
}

TEST(page_usage, time_is_cut_into_windows) {
  page_usage_observer observer({.first_length = 100});
  use(observer, 0, 0, 0x5000);
  use(observer, 0, 99, 0x5000);
  use(observer, 0, 100, 0x5000);
  use(observer, 0, 350, 0x5000);
  const profile p = finished(observer);
  EXPECT_EQ(rows_of(p.pages),
            (std::vector<row>{{5, 1, 0, 0, 2, 0}, {5, 1, 1, 0, 1, 0}, {5, 1, 3, 0, 1, 0}}));
  ASSERT_EQ(p.windows.size(), 4u);
  EXPECT_EQ(p.windows[3].start, 300u);
  EXPECT_EQ(p.windows[3].end, 351u);
}

TEST(page_usage, windows_merge_when_time_outlasts_them) {
  page_usage_observer observer({.most_windows = 4, .first_length = 100});
  for (std::uint64_t time = 0; time < 500; time += 50) use(observer, 0, time, 0x5000);
  const profile p = finished(observer);
  ASSERT_EQ(p.windows.size(), 3u);  // of 200
  EXPECT_EQ(rows_of(p.pages),
            (std::vector<row>{{5, 1, 0, 0, 4, 0}, {5, 1, 1, 0, 4, 0}, {5, 1, 2, 0, 2, 0}}));
}

TEST(page_usage, a_jump_in_time_merges_as_often_as_needed) {
  page_usage_observer observer({.most_windows = 2, .first_length = 1});
  use(observer, 0, 0, 0x5000);
  use(observer, 1, 1'000'000, 0x6000);
  const profile p = finished(observer);
  EXPECT_EQ(p.windows.size(), 2u);
  EXPECT_EQ(rows_of(p.pages), (std::vector<row>{{5, 1, 0, 0, 1, 0}, {6, 1, 1, 1, 1, 0}}));
}

TEST(page_usage, windows_merge_when_they_hold_too_many_records) {
  page_usage_observer observer({.first_length = 100, .most_records = 64});
  for (std::uint64_t time = 0; time < 1600; time += 100) {
    for (std::uint64_t page = 0; page < 16; ++page) use(observer, 0, time, page * 8192);
  }
  const profile p = finished(observer);
  EXPECT_LT(p.windows.size(), 8u);
  EXPECT_LE(p.pages.size(), 64u + 16u);
  std::uint64_t reads = 0;
  for (const page_use& u : p.pages) reads += u.reads * u.pages;
  EXPECT_EQ(reads, 256u);
}

TEST(page_usage, threads_that_lag_behind_keep_their_own_window) {
  page_usage_observer observer({.first_length = 100});
  use(observer, 0, 250, 0x5000);
  use(observer, 1, 50, 0x5000);
  use(observer, 0, 60, 0x5000);
  EXPECT_EQ(rows_of(finished(observer).pages),
            (std::vector<row>{{5, 1, 0, 0, 1, 0}, {5, 1, 0, 1, 1, 0}, {5, 1, 2, 0, 1, 0}}));
}

TEST(page_usage, evictions_of_a_filtered_trace_count_as_reads) {
  page_usage_observer observer({});
  const std::vector<trace::tlb_record> records{
      {0, 5, ~std::uint64_t{0}, 0}, {7, 6, 5, 7}, {9, ~std::uint64_t{0}, 6, 2}};
  observer.on_tlb_records(thread_id(0), 0, records);
  EXPECT_EQ(rows_of(finished(observer).pages),
            (std::vector<row>{{5, 1, 0, 0, 7, 0}, {6, 1, 0, 0, 2, 0}}));
}

TEST(page_usage, nothing_observed_is_one_empty_window) {
  page_usage_observer observer({});
  const profile p = finished(observer);
  EXPECT_TRUE(p.pages.empty());
  EXPECT_EQ(p.windows.size(), 1u);
}

page_use single(std::uint64_t page, std::uint32_t window, std::uint32_t thread,
                std::uint64_t reads) {
  return {page_number(page), 1, window, thread_id(thread), reads, 0};
}

TEST(page_runs, contiguous_pages_with_the_same_use_become_one_run) {
  std::vector<page_use> uses;
  for (std::uint64_t page = 10; page < 20; ++page) {
    uses.push_back(single(page, 0, 1, 4));
    uses.push_back(single(page, 0, 0, 3));
  }
  merge_alike_pages(uses);
  EXPECT_EQ(rows_of(uses), (std::vector<row>{{10, 10, 0, 0, 3, 0}, {10, 10, 0, 1, 4, 0}}));
}

TEST(page_runs, a_gap_a_count_a_thread_or_a_window_ends_a_run) {
  std::vector<page_use> uses{single(1, 0, 0, 3), single(3, 0, 0, 3), single(4, 0, 0, 2),
                             single(5, 0, 1, 2), single(6, 1, 1, 2), single(7, 1, 1, 2),
                             single(7, 2, 1, 2)};
  const std::vector<row> before = rows_of(uses);
  merge_alike_pages(uses);
  EXPECT_EQ(rows_of(uses), before);
}

RC_GTEST_PROP(page_runs, say_the_same_as_the_single_pages, ()) {
  const auto draws =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1 << 8));
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::uint64_t> model;
  std::vector<page_use> uses;
  for (const std::uint32_t draw : draws) {
    const std::uint64_t page = draw % 16;
    const std::uint32_t window = draw / 16 % 2;
    const std::uint32_t thread = draw / 32 % 2;
    if (model.emplace(std::tuple{page, window, thread}, 1 + draw / 64 % 2).second) {
      uses.push_back(single(page, window, thread, 1 + draw / 64 % 2));
    }
  }
  merge_alike_pages(uses);
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, std::uint64_t> seen;
  for (const page_use& u : uses) {
    for (std::uint64_t i = 0; i < u.pages; ++i) {
      seen[{u.first_page.value + i, u.window, u.thread.value}] += u.reads;
    }
  }
  RC_ASSERT(seen == model);
}

}  // namespace
}  // namespace numatch
