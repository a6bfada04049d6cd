// SPDX-License-Identifier: Apache-2.0
#include "four_nodes.hpp"

namespace numatch {
namespace {

using test::ms;
using test::page_moves;
using testing::IsSubstring;

class marathe : public test::four_nodes {
 protected:
  void load(mechanism& m, std::uint32_t thread, std::uint64_t page, std::uint64_t latency = 200) {
    m.on_memory_sample(
        {thread_id(thread), page * where.page_size + 8, false, data_source::remote_memory, latency},
        where);
  }
};

TEST_F(marathe, a_page_goes_to_the_node_with_the_most_samples) {
  const auto m = begin("marathe", 8);
  where.node_of_page = {{5, 0}, {6, 0}};
  for (const std::uint32_t thread : {1u, 6u, 7u, 6u}) load(*m, thread, 5);
  load(*m, 2, 6);
  wake(*m, 100 * ms);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}, {6, 1}}));
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(marathe, on_a_tie_a_page_stays) {
  const auto m = begin("marathe", 8);
  where.node_of_page = {{5, 2}};
  load(*m, 0, 5);
  load(*m, 4, 5);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(marathe, pages_are_as_large_as_the_worlds) {
  where.page_size = 1 << 16;
  const auto m = begin("marathe", 8);
  where.node_of_page = {{5, 0}};
  m->on_memory_sample({thread_id(7), (5 << 16) + 5000, false, data_source::remote_memory, 200},
                      where);
  wake(*m, 100 * ms);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}}));
}

TEST_F(marathe, short_loads_stores_and_cache_answers_do_not_count) {
  const auto m = begin("marathe", 8, {{"latency", "100"}});
  where.node_of_page = {{5, 0}};
  load(*m, 7, 5, 99);
  m->on_memory_sample({thread_id(7), 5 * 4096, true, data_source::remote_memory, 300}, where);
  m->on_memory_sample({thread_id(7), 5 * 4096, false, data_source::remote_cache, 300}, where);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.page_moves.empty());
  load(*m, 7, 5, 100);
  wake(*m, 200 * ms);
  EXPECT_EQ(where.page_moves.size(), 1u);
}

TEST_F(marathe, a_page_with_few_samples_stays) {
  const auto m = begin("marathe", 8, {{"least-samples", "3"}});
  where.node_of_page = {{5, 0}};
  load(*m, 7, 5);
  load(*m, 6, 5);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.page_moves.empty());
  load(*m, 7, 5);
  wake(*m, 200 * ms);
  EXPECT_EQ(where.page_moves.size(), 1u);
}

TEST_F(marathe, a_page_is_asked_for_once_until_its_outcome_and_again_when_that_failed) {
  const auto m = begin("marathe", 8);
  where.node_of_page = {{5, 0}};
  load(*m, 7, 5);
  wake(*m, 100 * ms);
  where.node_of_page[5] = 0;  // under way, then failed
  wake(*m, 200 * ms);
  EXPECT_EQ(where.page_moves.size(), 1u);
  outcome(*m, 1, false);
  wake(*m, 300 * ms);
  EXPECT_EQ(where.page_moves.size(), 2u);
  where.node_of_page[5] = 3;
  outcome(*m, 2, true);
  wake(*m, 400 * ms);
  EXPECT_EQ(where.page_moves.size(), 2u);
}

TEST_F(marathe, a_page_that_was_unmapped_is_left_alone) {
  const auto m = begin("marathe", 8);
  load(*m, 7, 5);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(marathe, after_the_profile_time_nothing_is_sampled_or_moved_any_more) {
  const auto m = begin("marathe", 8, {{"profile-time", "100"}});
  where.node_of_page = {{5, 0}, {6, 0}};
  load(*m, 7, 5);
  wake(*m, 100 * ms);
  EXPECT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.wake_ups.size(), 1u);
  const std::size_t work = where.work.size();
  load(*m, 7, 6);
  EXPECT_EQ(where.work.size(), work);
}

TEST_F(marathe, a_run_without_samples_moves_nothing) {
  const auto m = begin("marathe", 8);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_TRUE(where.touches.empty());
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 200 * ms);
}

TEST_F(marathe, more_threads_than_pus_share_the_counters_of_their_nodes) {
  const auto m = begin("marathe", 20);
  where.node_of_page = {{5, 0}};
  load(*m, 19, 5);  // on PU 3
  wake(*m, 100 * ms);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 1}}));
}

TEST_F(marathe, samples_and_pages_are_work_and_touches) {
  const auto m = begin("marathe", 8);
  load(*m, 7, 5);
  wake(*m, 100 * ms);
  EXPECT_EQ(where.work[0], (std::pair{software_work::take_samples, std::uint64_t{1}}));
  EXPECT_EQ(where.work[1], (std::pair{software_work::scan_pages, std::uint64_t{1}}));
  ASSERT_EQ(where.touches.size(), 2u);
  EXPECT_TRUE(where.touches[0].write);
  EXPECT_EQ(where.touches[0].offset, 5u * 16 + 12);
  EXPECT_FALSE(where.touches[1].write);
  EXPECT_EQ(where.touches[1].bytes, 16u);
}

TEST_F(marathe, wake_ups_end_with_the_last_thread) {
  const auto m = begin("marathe", 1);
  m->on_thread_end(thread_id(0), where);
  wake(*m, 100 * ms);
  EXPECT_EQ(where.wake_ups.size(), 1u);
}

TEST_F(marathe, one_miss_of_the_period_is_a_sample) {
  EXPECT_EQ(begin("marathe", 1, {{"sample-period", "7"}})->sensors().sample_period, 7u);
}

TEST_F(marathe, bad_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter sample-period: '0' is not a whole number from 1",
                      test::refusal_of("marathe", {{"sample-period", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "unknown parameter 'latancy'; did you mean 'latency'?",
                      test::refusal_of("marathe", {{"latancy", "5"}}));
}

}  // namespace
}  // namespace numatch
