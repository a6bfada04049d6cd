// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "four_nodes.hpp"

namespace numatch {
namespace {

using test::ms;
using testing::IsSubstring;

using pus = std::vector<pu_id>;

pus numbers(std::initializer_list<std::uint32_t> list) {
  pus all;
  for (const std::uint32_t p : list) all.push_back(pu_id(p));
  return all;
}

class autopin : public test::four_nodes {
 protected:
  /// All threads run 1000 cycles more with so many instructions per 1000 cycles.
  void run(std::uint32_t threads, std::uint64_t instructions) {
    for (std::uint32_t t = 0; t < threads; ++t) {
      where.progress[t].instructions += instructions;
      where.progress[t].cycles += 1000;
    }
  }
  /// One trial after the other from the end of the warm-up, each with its speed.
  void try_all(mechanism& m, std::uint32_t threads, const std::vector<std::uint64_t>& speeds) {
    run(threads, 0);
    wake(m, 500 * ms);
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      run(threads, speeds[i]);
      wake(m, (650 + 150 * i) * ms);
    }
  }
};

TEST_F(autopin, five_mappings_are_tried_after_500_ms_for_150_ms_each) {
  const auto m = begin("autopin", 8);
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 500 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
  try_all(*m, 8, {300, 500, 900, 400, 200});
  ASSERT_EQ(where.wake_ups.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_EQ(where.wake_ups[i].nanoseconds, (500 + 150 * i) * ms);
  }
  ASSERT_EQ(where.thread_moves.size(), 6u);
  EXPECT_EQ(where.thread_moves[5], where.thread_moves[2]);
}

TEST_F(autopin, every_mapping_gives_each_thread_a_pu_of_its_own_and_they_differ) {
  const auto m = begin("autopin", 8);
  try_all(*m, 8, {1, 1, 1, 1, 1});
  for (pus mapping : where.thread_moves) {
    std::sort(mapping.begin(), mapping.end());
    EXPECT_EQ(mapping, numbers({0, 1, 2, 3, 4, 5, 6, 7}));
  }
  EXPECT_NE(where.thread_moves[0], where.thread_moves[1]);
  EXPECT_NE(where.thread_moves[1], where.thread_moves[2]);
}

TEST_F(autopin, the_same_seed_draws_the_same_mappings) {
  const auto draw = [&](const char* seed) {
    where.thread_moves.clear();
    where.time = {0};
    const auto m = begin("autopin", 8, {{"seed", seed}});
    try_all(*m, 8, {1, 1, 1, 1, 1});
    return where.thread_moves;
  };
  const auto first = draw("5");
  EXPECT_EQ(draw("5"), first);
  EXPECT_NE(draw("6"), first);
}

TEST_F(autopin, the_first_of_equally_good_mappings_is_kept) {
  const auto m = begin("autopin", 8, {{"mappings", "3"}, {"first", "compact"}});
  try_all(*m, 8, {500, 500, 500});
  EXPECT_EQ(where.thread_moves.back(), numbers({0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(autopin, the_first_mapping_can_be_scattered_or_given_as_a_list) {
  const auto scattered = begin("autopin", 4, {{"first", "scatter"}});
  wake(*scattered, 500 * ms);
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t t = 0; t < 4; ++t) nodes.push_back(node_of_thread(t).value);
  std::sort(nodes.begin(), nodes.end());
  EXPECT_EQ(nodes, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  where.time = {0};
  const auto listed = begin("autopin", 4, {{"first", "7,0,6,1"}});
  wake(*listed, 500 * ms);
  EXPECT_EQ(where.thread_moves.back(), numbers({7, 0, 6, 1}));
}

TEST_F(autopin, a_list_that_names_a_pu_beyond_the_machine_is_left_out) {
  const auto m = begin("autopin", 8, {{"first", "0,8"}, {"mappings", "2"}});
  try_all(*m, 8, {500});
  EXPECT_EQ(where.thread_moves.size(), 2u);
  EXPECT_EQ(where.thread_moves[0].size(), 8u);
  EXPECT_EQ(where.thread_moves[0], where.thread_moves[1]);
}

TEST_F(autopin, a_mapping_that_could_not_be_made_is_not_chosen) {
  const auto m = begin("autopin", 8, {{"mappings", "2"}, {"first", "compact"}});
  run(8, 0);
  wake(*m, 500 * ms);
  outcome(*m, 1, false, action_kind::move_threads);
  run(8, 900);
  wake(*m, 650 * ms);
  run(8, 100);
  wake(*m, 800 * ms);
  ASSERT_EQ(where.thread_moves.size(), 3u);
  EXPECT_EQ(where.thread_moves[2], where.thread_moves[1]);
}

TEST_F(autopin, when_the_best_mapping_cannot_be_made_any_more_the_next_best_is_taken) {
  const auto m = begin("autopin", 8, {{"mappings", "2"}, {"first", "compact"}});
  try_all(*m, 8, {900, 100});
  ASSERT_EQ(where.thread_moves.size(), 3u);
  EXPECT_EQ(where.thread_moves[2], where.thread_moves[0]);
  outcome(*m, 3, false, action_kind::move_threads);
  ASSERT_EQ(where.thread_moves.size(), 4u);
  EXPECT_EQ(where.thread_moves[3], where.thread_moves[1]);
  outcome(*m, 4, false, action_kind::move_threads);
  EXPECT_EQ(where.thread_moves.size(), 4u);
}

TEST_F(autopin, without_counters_the_threads_stay_in_the_last_mapping) {
  const auto m = begin("autopin", 8, {{"mappings", "2"}});
  for (const std::uint64_t at : {500u, 650u, 800u}) wake(*m, at * ms);
  EXPECT_EQ(where.thread_moves.size(), 2u);
  EXPECT_EQ(where.wake_ups.size(), 3u);
}

TEST_F(autopin, only_threads_that_ran_the_whole_trial_are_measured) {
  const auto m = begin("autopin", 2, {{"mappings", "2"}});
  try_all(*m, 1, {900});
  where.progress[1] = {.instructions = 1'000'000, .cycles = 1000};  // new in the second trial
  run(1, 100);
  wake(*m, 800 * ms);
  EXPECT_EQ(where.thread_moves.back(), where.thread_moves[0]);
}

TEST_F(autopin, more_threads_than_pus_take_turns_on_them) {
  const auto m = begin("autopin", 20);
  wake(*m, 500 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  const pus& mapping = where.thread_moves[0];
  ASSERT_EQ(mapping.size(), 20u);
  for (std::size_t t = 8; t < 20; ++t) EXPECT_EQ(mapping[t], mapping[t - 8]) << t;
}

TEST_F(autopin, a_thread_that_starts_later_gets_its_place_of_the_mapping) {
  const auto m = begin("autopin", 4, {{"first", "scatter"}});
  wake(*m, 500 * ms);
  m->on_thread_start(thread_id(4), where);
  ASSERT_EQ(where.thread_moves.size(), 2u);
  EXPECT_EQ(where.thread_moves[1].size(), 5u);
  EXPECT_TRUE(std::equal(where.thread_moves[0].begin(), where.thread_moves[0].end(),
                         where.thread_moves[1].begin()));
}

TEST_F(autopin, acting_on_nothing_tries_nothing) {
  const auto m = begin("autopin", 8, {{"act-on", "none"}});
  EXPECT_TRUE(where.wake_ups.empty());
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(autopin, reading_counters_and_placing_threads_is_work) {
  const auto m = begin("autopin", 8, {{"mappings", "1"}});
  wake(*m, 500 * ms);
  ASSERT_EQ(where.work.size(), 2u);
  EXPECT_EQ(where.work[0], (std::pair{software_work::map_threads, std::uint64_t{8}}));
  EXPECT_EQ(where.work[1], (std::pair{software_work::take_samples, std::uint64_t{8}}));
}

TEST_F(autopin, a_program_that_ends_in_the_warm_up_is_left_alone) {
  const auto m = begin("autopin", 1);
  m->on_thread_end(thread_id(0), where);
  wake(*m, 500 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_EQ(where.wake_ups.size(), 1u);
}

TEST_F(autopin, bad_parameters_are_refused) {
  for (const char* text : {"", "fast", "1,", ",1", "1;2", "-1", "1,x", "99999999999"}) {
    EXPECT_PRED_FORMAT2(IsSubstring, "is not random, compact, scatter or a list of PUs",
                        test::refusal_of("autopin", {{"first", text}}))
        << text;
  }
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter mappings: '0' is not a whole number from 1",
                      test::refusal_of("autopin", {{"mappings", "0"}}));
}

}  // namespace
}  // namespace numatch
