// SPDX-License-Identifier: Apache-2.0
#include "report/page_sharing.hpp"

#include <gtest/gtest.h>

namespace numatch::report {
namespace {

page_use use(std::uint64_t first, std::uint64_t pages, std::uint32_t window, std::uint32_t thread,
             std::uint64_t reads, std::uint64_t writes) {
  return {page_number(first), pages, window, thread_id(thread), reads, writes};
}

TEST(page_sharing, cuts_runs_where_the_users_change) {
  profile p;
  p.pages = {use(10, 10, 0, 0, 5, 0), use(18, 4, 0, 1, 1, 1)};
  const std::vector<page_run> runs = page_runs(p);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].first, page_number(10));
  EXPECT_EQ(runs[0].pages, 8u);
  EXPECT_FALSE(runs[0].shared());
  EXPECT_EQ(runs[1].first, page_number(18));
  EXPECT_EQ(runs[1].pages, 2u);
  EXPECT_TRUE(runs[1].shared());
  EXPECT_EQ(runs[1].accesses(), 7u);
  EXPECT_EQ(runs[1].dominant().thread, thread_id(0));
  EXPECT_EQ(runs[2].first, page_number(20));
  EXPECT_EQ(runs[2].pages, 2u);
}

TEST(page_sharing, adds_up_time_windows_and_remembers_the_first_user) {
  profile p;
  p.pages = {use(1, 1, 0, 3, 0, 1), use(1, 1, 1, 2, 9, 0), use(1, 1, 2, 3, 1, 0)};
  const std::vector<page_run> runs = page_runs(p);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].first_user, thread_id(3));
  EXPECT_EQ(runs[0].dominant().thread, thread_id(2));
  EXPECT_EQ(runs[0].users.size(), 2u);
}

TEST(page_sharing, leaves_gaps_between_runs_and_joins_equal_neighbours) {
  profile p;
  p.pages = {use(1, 1, 0, 0, 2, 0), use(2, 1, 0, 0, 2, 0), use(7, 1, 0, 0, 2, 0),
             use(9, 1, 0, 1, 0, 0)};
  const std::vector<page_run> runs = page_runs(p);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].pages, 2u);
  EXPECT_EQ(runs[1].first, page_number(7));
}

TEST(page_sharing, a_program_without_pages_has_no_exclusivity) {
  const exclusivity found = measure_exclusivity({});
  EXPECT_EQ(found.level, 0);
  EXPECT_EQ(found.shared_share(), 0);
}

TEST(page_sharing, exclusivity_is_weighted_by_accesses) {
  profile p;
  p.pages = {use(1, 1, 0, 0, 90, 0), use(2, 1, 0, 0, 6, 0), use(2, 1, 0, 1, 0, 4)};
  const exclusivity found = measure_exclusivity(page_runs(p));
  EXPECT_DOUBLE_EQ(found.level, 0.96);
  EXPECT_DOUBLE_EQ(found.shared_share(), 0.1);
  EXPECT_NEAR(found.volume(), 0.04, 1e-12);
  EXPECT_DOUBLE_EQ(found.share_of_accesses[9], 0.9);
  EXPECT_DOUBLE_EQ(found.share_of_accesses[5], 0.1) << "exactly 0.6 belongs to the bin up to 0.6";
  EXPECT_EQ(found.pages_private, 1u);
  EXPECT_EQ(found.pages_write_shared, 1u);
  EXPECT_EQ(found.pages_read_shared, 0u);
}

TEST(page_sharing, tells_pages_that_nobody_writes) {
  profile p;
  p.pages = {use(1, 2, 0, 0, 5, 0), use(1, 2, 0, 1, 5, 0)};
  const exclusivity found = measure_exclusivity(page_runs(p));
  EXPECT_EQ(found.pages_read_shared, 2u);
  EXPECT_DOUBLE_EQ(found.accesses_read_shared, 20);
  EXPECT_DOUBLE_EQ(found.level, 0.5);
}

TEST(page_sharing, flow_goes_from_writers_to_readers) {
  profile p;
  p.pages = {use(1, 2, 0, 0, 0, 3), use(1, 2, 0, 1, 0, 1), use(1, 2, 0, 2, 8, 0)};
  const sharing_matrix flow = read_flow(page_runs(p), 3);
  EXPECT_DOUBLE_EQ(flow.at(0, 2), 12);
  EXPECT_DOUBLE_EQ(flow.at(1, 2), 4);
  EXPECT_DOUBLE_EQ(flow.at(2, 0), 0);
  EXPECT_DOUBLE_EQ(flow.total(), 16);
}

TEST(page_sharing, counts_accesses_per_thread_by_kind_of_page) {
  profile p;
  p.pages = {use(1, 10, 0, 0, 1, 0), use(5, 1, 0, 1, 4, 0)};
  const std::vector<thread_pages> sums = accesses_by_thread(page_runs(p), 2);
  EXPECT_EQ(sums[0].accesses, 10u);
  EXPECT_EQ(sums[0].shared, 1u);
  EXPECT_EQ(sums[0].foreign, 1u);
  EXPECT_EQ(sums[1].shared, 4u);
  EXPECT_EQ(sums[1].foreign, 0u);
}

}  // namespace
}  // namespace numatch::report
