// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "four_nodes.hpp"
#include "mechanism/carrefour_rules.hpp"

namespace numatch {
namespace {

using carrefour::page_fate;
using carrefour::techniques;
using test::ms;
using test::page_moves;
using testing::IsSubstring;

TEST(carrefour_rules, imbalance_is_the_standard_deviation_by_the_mean) {
  EXPECT_EQ(carrefour::imbalance_of(std::vector<std::uint64_t>{7, 7, 7, 7}), 0);
  EXPECT_DOUBLE_EQ(carrefour::imbalance_of(std::vector<std::uint64_t>{8, 0, 0, 0}), 2);
  EXPECT_EQ(carrefour::imbalance_of(std::vector<std::uint64_t>{0, 0}), 0);
  EXPECT_EQ(carrefour::imbalance_of(std::vector<std::uint64_t>{5}), 0);
}

TEST(carrefour_rules, nothing_is_done_below_the_intensity) {
  const carrefour::metrics seen{
      .accesses_per_microsecond = 49, .local_share = 0, .read_share = 1, .imbalance = 2};
  EXPECT_FALSE(carrefour::decide(seen, {}, {}).any());
}

TEST(carrefour_rules, each_technique_has_its_own_threshold) {
  const auto with = [](double local, double reads, double imbalance) {
    return carrefour::decide({.accesses_per_microsecond = 50,
                              .local_share = local,
                              .read_share = reads,
                              .imbalance = imbalance},
                             {}, {});
  };
  EXPECT_EQ(with(0.79, 0.94, 0.35), (techniques{false, false, true}));
  EXPECT_EQ(with(0.80, 0.94, 0.36), (techniques{false, true, false}));
  EXPECT_EQ(with(0.80, 0.95, 0.35), (techniques{true, false, false}));
  EXPECT_EQ(with(1, 0.5, 2), (techniques{false, false, false}));
}

TEST(carrefour_rules, what_is_not_allowed_is_never_on) {
  const carrefour::metrics seen{
      .accesses_per_microsecond = 50, .local_share = 0, .read_share = 1, .imbalance = 2};
  EXPECT_FALSE(carrefour::decide(seen, {}, {false, false, false}).any());
}

TEST(carrefour_rules, several_readers_replicate_and_several_writers_interleave) {
  const std::vector<std::uint32_t> shared{3, 0, 1, 0};
  EXPECT_EQ(carrefour::fate_of(shared, 0, {}, 1), page_fate::replicate);
  EXPECT_EQ(carrefour::fate_of(shared, 1, {}, 1), page_fate::interleave);
  EXPECT_EQ(carrefour::fate_of(shared, 0, {false, true, true}, 1), page_fate::interleave);
  EXPECT_EQ(carrefour::fate_of(shared, 1, {true, false, true}, 1), page_fate::stay);
}

TEST(carrefour_rules, a_page_of_one_node_migrates_with_enough_samples_or_while_interleaving) {
  const std::vector<std::uint32_t> own{0, 0, 1, 0};
  EXPECT_EQ(carrefour::fate_of(own, 1, {false, false, true}, 1), page_fate::migrate);
  EXPECT_EQ(carrefour::fate_of(own, 1, {false, false, true}, 2), page_fate::stay);
  EXPECT_EQ(carrefour::fate_of(own, 1, {false, true, false}, 2), page_fate::migrate);
  EXPECT_EQ(carrefour::fate_of(own, 1, {true, false, false}, 1), page_fate::stay);
}

TEST(carrefour_rules, a_page_leaves_with_the_share_of_its_node_and_goes_to_a_less_used_one) {
  const std::vector<std::uint64_t> accesses{60, 40, 0};
  EXPECT_EQ(carrefour::interleaved_to(accesses, node_id(0), 0.6, 0.9), std::nullopt);
  EXPECT_EQ(carrefour::interleaved_to(accesses, node_id(2), 0, 0), std::nullopt);
  // Weights 0.4, 0.6, 1 of 2.
  EXPECT_EQ(carrefour::interleaved_to(accesses, node_id(0), 0.59, 0.19), std::nullopt);
  EXPECT_EQ(carrefour::interleaved_to(accesses, node_id(0), 0.59, 0.21), node_id(1));
  EXPECT_EQ(carrefour::interleaved_to(accesses, node_id(0), 0.59, 0.51), node_id(2));
  EXPECT_EQ(carrefour::interleaved_to(accesses, node_id(0), 0.59, 0.999), node_id(2));
}

RC_GTEST_PROP(carrefour_rules, an_interleaved_page_never_goes_to_the_node_with_all_accesses, ()) {
  std::vector<std::uint64_t> accesses(4);
  const auto busy = *rc::gen::inRange<std::uint32_t>(0, 4);
  accesses[busy] = 10;
  const auto draw = *rc::gen::inRange(0, 1000);
  const std::optional<node_id> target =
      carrefour::interleaved_to(accesses, node_id(busy), 0, draw / 1000.0);
  RC_ASSERT(target && target->value != busy);
}

class carrefour_pages : public test::four_nodes {
 protected:
  static constexpr std::uint64_t second = 1000 * ms;

  std::unique_ptr<mechanism> busy(std::map<std::string, std::string> given = {}) {
    given.emplace("intensity", "0");
    given.emplace("least-replicas", "1");
    given.emplace("cheap-period", "1");
    return begin("carrefour", 8, given);
  }
  void sample(mechanism& m, std::uint32_t thread, std::uint64_t page, bool write = false,
              data_source source = data_source::remote_memory) {
    m.on_memory_sample({thread_id(thread), page * 4096, write, source, 200}, where);
  }
};

TEST_F(carrefour_pages, a_page_of_one_node_goes_there) {
  const auto m = busy();
  where.node_of_page = {{5, 0}};
  sample(*m, 7, 5, true);
  sample(*m, 6, 5, true);
  wake(*m, second);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}}));
}

TEST_F(carrefour_pages, a_page_that_several_nodes_read_is_replicated_once) {
  const auto m = busy({{"interleaving", "no"}});
  where.node_of_page = {{5, 0}};
  const auto read_by_two = [&](data_source source) {
    sample(*m, 7, 5, false, source);
    sample(*m, 2, 5, false, source);
  };
  read_by_two(data_source::remote_memory);
  wake(*m, second);
  EXPECT_EQ(where.replicated, (std::vector<std::uint64_t>{5}));
  outcome(*m, 1, true, action_kind::replicate_pages);
  read_by_two(data_source::local_memory);
  wake(*m, 2 * second);
  EXPECT_EQ(where.replicated.size(), 1u);
}

TEST_F(carrefour_pages, a_replication_that_failed_is_asked_for_again) {
  const auto m = busy({{"interleaving", "no"}});
  where.node_of_page = {{5, 0}};
  for (std::uint64_t i = 1; i <= 2; ++i) {
    sample(*m, 7, 5);
    sample(*m, 2, 5);
    wake(*m, i * second);
    outcome(*m, i, false, action_kind::replicate_pages);
    EXPECT_EQ(where.replicated.size(), i);
  }
}

TEST_F(carrefour_pages, a_written_page_is_a_candidate_again_because_its_replicas_collapsed) {
  const auto m = busy({{"interleaving", "no"}, {"read-ratio", "0"}});
  where.node_of_page = {{5, 0}};
  sample(*m, 7, 5);
  sample(*m, 2, 5);
  wake(*m, second);
  outcome(*m, 1, true, action_kind::replicate_pages);
  sample(*m, 7, 5, true);
  wake(*m, 2 * second);
  EXPECT_EQ(where.replicated.size(), 1u);
  sample(*m, 7, 5, false, data_source::local_memory);
  sample(*m, 2, 5);
  wake(*m, 3 * second);
  EXPECT_EQ(where.replicated.size(), 2u);
}

TEST_F(carrefour_pages, replication_begins_when_enough_pages_ask_for_it_at_once) {
  const auto m = busy({{"interleaving", "no"}, {"least-replicas", "2"}});
  where.node_of_page = {{5, 0}, {6, 0}};
  const auto read_by_two = [&](std::uint64_t page) {
    sample(*m, 7, page);
    sample(*m, 2, page);
  };
  read_by_two(5);
  wake(*m, second);
  EXPECT_TRUE(where.replicated.empty());
  read_by_two(5);
  read_by_two(6);
  wake(*m, 2 * second);
  EXPECT_EQ(where.replicated.size(), 2u);
  for (const std::uint64_t request : {1u, 2u}) {
    outcome(*m, request, false, action_kind::replicate_pages);
  }
  read_by_two(6);
  wake(*m, 3 * second);
  EXPECT_EQ(where.replicated.size(), 3u);
}

TEST_F(carrefour_pages, shared_written_pages_of_a_loaded_node_are_spread) {
  const auto m = busy();
  for (std::uint64_t page = 0; page < 40; ++page) {
    where.node_of_page[page] = 0;
    sample(*m, 7, page, true);
    sample(*m, 2, page, true);
  }
  wake(*m, second);
  std::set<std::uint32_t> nodes;
  for (const auto& [page, node] : where.page_moves) nodes.insert(node);
  EXPECT_EQ(where.page_moves.size(), 40u);  // the loaded node has all accesses
  EXPECT_EQ(nodes, (std::set<std::uint32_t>{1, 2, 3}));
  EXPECT_TRUE(where.replicated.empty());
}

TEST_F(carrefour_pages, balanced_and_local_programs_are_left_alone) {
  const auto m = busy();
  for (std::uint32_t t = 0; t < 8; ++t) {
    where.node_of_page[t] = t / 2;
    for (int i = 0; i < 4; ++i) sample(*m, t, t, true, data_source::local_memory);
  }
  sample(*m, 0, 7, true);
  wake(*m, second);
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_TRUE(where.replicated.empty());
}

TEST_F(carrefour_pages, nothing_happens_below_the_intensity_that_the_samples_stand_for) {
  const auto run = [&](const char* intensity) {
    where.time = {0};
    where.page_moves.clear();
    where.node_of_page = {{5, 0}};
    const auto m = begin("carrefour", 8,
                         {{"intensity", intensity}, {"sample-period", "1000"}, {"interval", "1"}});
    for (int i = 0; i < 50; ++i) sample(*m, 7, 5);  // 50,000 accesses in 1000 us
    wake(*m, ms);
    return where.page_moves.size();
  };
  EXPECT_EQ(run("50"), 1u);
  EXPECT_EQ(run("50.1"), 0u);
}

TEST_F(carrefour_pages, after_few_decisions_every_second_sample_of_a_thread_is_taken) {
  const auto m = busy({{"cheap-period", "2"}});
  where.node_of_page = {{5, 0}, {6, 0}};
  const auto taken = [&] {
    return std::count(where.work.begin(), where.work.end(),
                      std::pair{software_work::take_samples, std::uint64_t{1}});
  };
  for (int i = 0; i < 4; ++i) sample(*m, 7, 5, true);
  EXPECT_EQ(taken(), 4);
  wake(*m, second);  // one page moves
  where.work.clear();
  for (int i = 0; i < 4; ++i) {
    sample(*m, 7, 6, true);
    sample(*m, 2, 6, true);
  }
  EXPECT_EQ(taken(), 4);
}

TEST_F(carrefour_pages, after_many_decisions_all_samples_are_taken_again) {
  const auto m = busy({{"cheap-period", "2"}, {"few-decisions", "2"}});
  const auto samples_after = [&](std::uint64_t pages, std::uint64_t now) {
    for (std::uint64_t page = 10 * now; page < 10 * now + pages; ++page) {
      where.node_of_page[page] = 0;
      for (int i = 0; i < 4; ++i) sample(*m, 7, page, true);
    }
    wake(*m, now * second);
    where.work.clear();
    for (int i = 0; i < 4; ++i) sample(*m, 7, 1000, true);
    return where.work.size();
  };
  EXPECT_EQ(samples_after(1, 1), 2u);
  EXPECT_EQ(samples_after(2, 2), 4u);
}

TEST_F(carrefour_pages, cheap_samples_stand_for_more_accesses) {
  const auto m =
      begin("carrefour", 8, {{"intensity", "50"}, {"sample-period", "1000"}, {"interval", "1"}});
  where.node_of_page = {{5, 0}};
  wake(*m, ms);                                   // nothing was decided
  for (int i = 0; i < 50; ++i) sample(*m, 7, 5);  // 25 are taken, each for 2000
  wake(*m, 2 * ms);
  EXPECT_EQ(where.page_moves.size(), 1u);
}

TEST_F(carrefour_pages, a_cheap_interval_counts_fewer_pages) {
  const auto m = busy({{"cheap-pages", "1"}, {"cheap-period", "2"}});
  where.node_of_page = {{5, 0}, {6, 0}};
  wake(*m, second);
  for (const std::uint64_t page : {5u, 5u, 6u, 6u, 5u, 5u, 6u, 6u}) sample(*m, 7, page, true);
  wake(*m, 2 * second);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 3}}));
}

TEST_F(carrefour_pages, pages_beyond_the_limit_are_not_counted) {
  const auto m = busy({{"pages", "2"}, {"least-samples", "1"}});
  where.node_of_page = {{5, 0}, {6, 0}, {7, 0}};
  for (const std::uint64_t page : {7u, 6u, 5u, 6u}) sample(*m, 7, page, true);
  wake(*m, second);
  EXPECT_EQ(where.page_moves, (page_moves{{6, 3}, {7, 3}}));
}

TEST_F(carrefour_pages, samples_of_caches_count_for_pages_unless_told_otherwise) {
  const auto run = [&](const char* count) {
    where.time = {0};
    where.page_moves.clear();
    where.node_of_page = {{5, 0}, {6, 0}};
    const auto m = busy({{"count-caches", count}});
    for (int i = 0; i < 2; ++i) {
      sample(*m, 7, 5, true, data_source::remote_cache);
      sample(*m, 7, 6, true);
    }
    wake(*m, second);
    return where.page_moves.size();
  };
  EXPECT_EQ(run("yes"), 2u);
  EXPECT_EQ(run("no"), 1u);
}

TEST_F(carrefour_pages, a_move_that_failed_is_asked_for_again) {
  const auto m = busy();
  where.node_of_page = {{5, 0}};
  const auto use = [&] {
    sample(*m, 7, 5, true);
    sample(*m, 6, 5, true);
  };
  use();
  wake(*m, second);
  where.node_of_page[5] = 0;
  use();
  wake(*m, 2 * second);  // still under way
  EXPECT_EQ(where.page_moves.size(), 1u);
  outcome(*m, 1, false);
  use();
  wake(*m, 3 * second);
  EXPECT_EQ(where.page_moves.size(), 2u);
}

TEST_F(carrefour_pages, every_interval_counts_anew) {
  const auto m = busy({{"interleaving", "no"}});
  where.node_of_page = {{5, 0}};
  sample(*m, 7, 5, true);
  wake(*m, second);
  sample(*m, 7, 5, true);
  wake(*m, 2 * second);
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(carrefour_pages, a_run_without_samples_does_nothing) {
  const auto m = busy();
  wake(*m, second);
  EXPECT_TRUE(where.page_moves.empty());
  EXPECT_TRUE(where.touches.empty());
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 2 * second);
}

TEST_F(carrefour_pages, the_same_seed_spreads_alike) {
  const auto run = [&] {
    where.time = {0};
    where.page_moves.clear();
    const auto m = busy();
    for (std::uint64_t page = 0; page < 40; ++page) {
      where.node_of_page[page] = static_cast<std::uint32_t>(page % 2);
      sample(*m, 7, page, true);
      sample(*m, 2, page, true);
    }
    wake(*m, second);
    return where.page_moves;
  };
  const page_moves first = run();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(run(), first);
}

TEST_F(carrefour_pages, more_threads_than_pus_count_for_the_nodes_where_they_run) {
  const auto m = begin("carrefour", 20, {{"intensity", "0"}});
  where.node_of_page = {{5, 0}};
  sample(*m, 19, 5, true);  // on PU 3
  sample(*m, 11, 5, true);  // on PU 3
  wake(*m, second);
  EXPECT_EQ(where.page_moves, (page_moves{{5, 1}}));
}

TEST_F(carrefour_pages, samples_and_looking_at_pages_is_work) {
  const auto m = busy();
  where.node_of_page = {{5, 0}};
  sample(*m, 7, 5);
  wake(*m, second);
  ASSERT_EQ(where.work.size(), 2u);
  EXPECT_EQ(where.work[0], (std::pair{software_work::take_samples, std::uint64_t{1}}));
  EXPECT_EQ(where.work[1], (std::pair{software_work::scan_pages, std::uint64_t{1}}));
  EXPECT_EQ(where.touches.size(), 2u);
}

TEST_F(carrefour_pages, bad_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter read-ratio: '101' is not a number from 0 to 100",
                      test::refusal_of("carrefour", {{"read-ratio", "101"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter pages: '0' is not a whole number from 1",
                      test::refusal_of("carrefour", {{"pages", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter cheap-period: '0' is not a whole number from 1",
                      test::refusal_of("carrefour", {{"cheap-period", "0"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "yes or no",
                      test::refusal_of("carrefour", {{"migration", "often"}}));
}

}  // namespace
}  // namespace numatch
