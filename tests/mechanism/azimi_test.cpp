// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "four_nodes.hpp"
#include "mechanism/pu_loads.hpp"
#include "mechanism/share_maps.hpp"

namespace numatch {
namespace {

using test::ms;
using testing::IsSubstring;

using clusters = std::vector<std::uint32_t>;

TEST(share_maps, a_region_keeps_the_entry_that_it_took_first) {
  azimi::share_maps maps(1);
  EXPECT_TRUE(maps.count(thread_id(0), 7));
  EXPECT_FALSE(maps.count(thread_id(1), 8));
  EXPECT_TRUE(maps.count(thread_id(1), 7));
  EXPECT_EQ(maps.of(0)[0], 1);
  EXPECT_EQ(maps.of(1)[0], 1);
}

TEST(share_maps, counters_saturate_at_255) {
  azimi::share_maps maps(1);
  for (int i = 0; i < 300; ++i) maps.count(thread_id(0), 7);
  EXPECT_EQ(maps.of(0)[0], 255);
}

TEST(share_maps, an_aged_map_gives_up_the_entries_that_nobody_uses) {
  azimi::share_maps maps(1);
  for (int i = 0; i < 3; ++i) maps.count(thread_id(0), 7);
  maps.age(0.5);
  EXPECT_EQ(maps.of(0)[0], 1);
  EXPECT_FALSE(maps.count(thread_id(1), 8));
  maps.age(0);
  EXPECT_TRUE(maps.count(thread_id(1), 8));
}

TEST(share_maps, similarity_is_the_sum_of_products) {
  azimi::share_maps maps(256);
  for (int i = 0; i < 3; ++i) maps.count(thread_id(0), 7);
  for (int i = 0; i < 5; ++i) maps.count(thread_id(1), 7);
  maps.count(thread_id(2), 8);
  maps.note_thread(thread_id(3));
  const sharing_matrix similar = azimi::similarities(maps, true);
  EXPECT_EQ(similar.at(0, 1), 15);
  EXPECT_EQ(similar.at(1, 0), 15);
  EXPECT_EQ(similar.total(), 30);
}

TEST(share_maps, what_more_than_half_of_the_threads_use_does_not_count) {
  azimi::share_maps maps(256);
  for (const std::uint32_t t : {0u, 1u, 2u}) maps.count(thread_id(t), 7);
  maps.note_thread(thread_id(3));
  EXPECT_EQ(azimi::similarities(maps, true).total(), 0);
  EXPECT_EQ(azimi::similarities(maps, false).total(), 6);
}

TEST(thread_clusters, a_thread_joins_the_most_similar_first_thread) {
  sharing_matrix similar(4);
  const auto alike = [&](std::size_t a, std::size_t b, double value) {
    similar.set(a, b, value);
    similar.set(b, a, value);
  };
  alike(0, 2, 50);
  alike(1, 2, 60);
  alike(0, 3, 49);
  EXPECT_EQ(azimi::clusters(similar, 50), (clusters{0, 1, 1, 2}));
}

TEST(thread_clusters, of_threads_that_share_nothing_are_of_one_thread) {
  EXPECT_EQ(azimi::clusters(sharing_matrix(3), 1), (clusters{0, 1, 2}));
}

std::vector<std::optional<pu_id>> all_on_pu_0(std::size_t threads) {
  return std::vector<std::optional<pu_id>>(threads, pu_id(0));
}

TEST(thread_clusters, a_cluster_that_is_too_large_for_a_node_is_spread) {
  const topology machine = topology::load("numa:2 core:2 pu:1").value();
  const clusters of{0, 0, 0, 3};
  const std::vector<std::optional<node_id>> nodes = azimi::nodes_for(of, all_on_pu_0(4), machine);
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), node_id(0)), 2);
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), node_id(1)), 2);
}

TEST(thread_clusters, threads_that_have_ended_get_no_place) {
  const topology machine = topology::load("numa:2 core:2 pu:1").value();
  std::vector<std::optional<pu_id>> present = all_on_pu_0(2);
  present[0].reset();
  const std::vector<std::optional<node_id>> nodes =
      azimi::nodes_for(clusters{0, 0}, present, machine);
  EXPECT_FALSE(nodes[0]);
  EXPECT_TRUE(nodes[1]);
  EXPECT_FALSE(azimi::pus_for(nodes, present, machine)[0]);
}

RC_GTEST_PROP(thread_clusters, no_node_gets_more_than_its_even_share, ()) {
  const topology machine = topology::load("numa:3 core:2 pu:2").value();
  const auto of = *rc::gen::container<clusters>(rc::gen::inRange<std::uint32_t>(0, 6));
  clusters valid;  // a cluster's number is never above that of its first thread
  for (std::size_t t = 0; t < of.size(); ++t) {
    valid.push_back(static_cast<std::uint32_t>(std::min<std::size_t>(of[t], t)));
  }
  const auto present = all_on_pu_0(valid.size());
  const auto pus = azimi::pus_for(azimi::nodes_for(valid, present, machine), present, machine);
  pu_loads loads(machine);
  for (const std::optional<pu_id>& pu : pus) loads.add(*pu);
  for (std::uint32_t n = 0; n < 3; ++n) {
    RC_ASSERT(loads.on(node_id(n)) <= (valid.size() + 2) / 3);
  }
  for (std::uint32_t p = 0; p < 12; ++p) {
    RC_ASSERT(loads.on(pu_id(p)) <= (valid.size() + 11) / 12);
  }
}

TEST(pu_loads, an_idle_core_is_better_than_the_idle_half_of_a_busy_one) {
  const topology machine = topology::load("numa:1 core:2 pu:2").value();
  pu_loads loads(machine);
  loads.add(pu_id(0));
  EXPECT_EQ(loads.least_loaded(node_id(0)), pu_id(2));
  loads.add(pu_id(2));
  EXPECT_EQ(loads.least_loaded(node_id(0)), pu_id(1));
  loads.remove(pu_id(0));
  EXPECT_EQ(loads.least_loaded(node_id(0)), pu_id(0));
}

class azimi_threads : public test::four_nodes {
 protected:
  void remote(mechanism& m, std::uint32_t thread, std::uint64_t line, int times = 250) {
    for (int i = 0; i < times; ++i) {
      m.on_memory_sample({thread_id(thread), line * 64 + 4, false, data_source::remote_cache, 90},
                         where);
    }
  }
  /// Threads t and t + 4 use one line each pair.
  void share_across(mechanism& m) {
    for (std::uint32_t t = 0; t < 8; ++t) remote(m, t, t % 4);
  }
};

TEST_F(azimi_threads, threads_that_fetch_the_same_lines_from_remote_caches_come_together) {
  const auto m = begin("azimi", 8, {{"least-samples", "2000"}});
  share_across(*m);
  EXPECT_EQ(m->sharing().at(1, 5), 250.0 * 250.0);
  EXPECT_EQ(m->sharing().at(1, 2), 0);
  wake(*m, 100 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 4)) << t;
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(azimi_threads, what_other_sources_answered_does_not_count) {
  const auto m = begin("azimi", 8, {{"least-samples", "1"}});
  for (const data_source source :
       {data_source::shared_cache, data_source::local_memory, data_source::remote_memory}) {
    for (const std::uint32_t t : {0u, 7u}) {
      for (int i = 0; i < 250; ++i) {
        m->on_memory_sample({thread_id(t), 64, true, source, 90}, where);
      }
    }
  }
  wake(*m, 100 * ms);
  EXPECT_EQ(m->sharing().total(), 0);
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_TRUE(where.work.empty());
}

TEST_F(azimi_threads, nothing_happens_before_there_are_enough_samples) {
  const auto m = begin("azimi", 8, {{"least-samples", "2001"}});
  share_across(*m);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
  remote(*m, 0, 0, 1);
  wake(*m, 200 * ms);
  EXPECT_EQ(where.thread_moves.size(), 1u);
}

TEST_F(azimi_threads, threads_that_are_together_already_stay) {
  const auto m = begin("azimi", 8, {{"least-samples", "2000"}});
  for (std::uint32_t t = 0; t < 8; ++t) remote(*m, t, t / 2);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(azimi_threads, threads_below_the_similarity_stay) {
  const auto m = begin("azimi", 8, {{"similarity", "1.6e10"}, {"least-samples", "2000"}});
  share_across(*m);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(azimi_threads, the_similarity_falls_with_the_square_of_the_samples) {
  // 2000 samples are 0.002 of a million: 1.5625e10 becomes 62500, the product that is reached.
  const auto m = begin("azimi", 8, {{"similarity", "1.5625e10"}, {"least-samples", "2000"}});
  share_across(*m);
  wake(*m, 100 * ms);
  EXPECT_EQ(where.thread_moves.size(), 1u);
}

TEST_F(azimi_threads, each_phase_begins_anew_and_sharing_adds_them_up) {
  const auto m = begin("azimi", 8, {{"least-samples", "2000"}});
  share_across(*m);
  wake(*m, 100 * ms);
  wake(*m, 200 * ms);
  EXPECT_EQ(where.thread_moves.size(), 1u);
  EXPECT_EQ(m->sharing().at(1, 5), 250.0 * 250.0);
  share_across(*m);
  EXPECT_EQ(m->sharing().at(1, 5), 2 * 250.0 * 250.0);
}

TEST_F(azimi_threads, a_move_that_failed_is_asked_for_again_when_the_next_phase_agrees) {
  const auto m = begin("azimi", 8, {{"least-samples", "2000"}});
  const auto before = where.pu_of_thread;
  share_across(*m);
  wake(*m, 100 * ms);
  where.pu_of_thread = before;
  outcome(*m, 1, false, action_kind::move_threads);
  share_across(*m);
  wake(*m, 200 * ms);
  EXPECT_EQ(where.thread_moves.size(), 2u);
}

TEST_F(azimi_threads, more_threads_than_pus_are_spread_evenly) {
  const auto m = begin("azimi", 16, {{"leave-out-global", "no"}, {"least-samples", "4000"}});
  for (std::uint32_t t = 0; t < 16; ++t) remote(*m, t, t % 4);
  wake(*m, 100 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  std::map<std::uint32_t, int> threads_on;
  for (const pu_id pu : where.thread_moves[0]) ++threads_on[pu.value];
  EXPECT_EQ(threads_on.size(), 8u);
  for (const auto& [pu, threads] : threads_on) EXPECT_EQ(threads, 2) << pu;
  for (std::uint32_t t = 4; t < 16; ++t) EXPECT_EQ(node_of_thread(t), node_of_thread(t % 4)) << t;
}

TEST_F(azimi_threads, a_mapping_algorithm_can_take_the_place_of_the_clusters) {
  const auto m = begin("azimi", 8, {{"mapper", "scotch"}, {"least-samples", "2000"}});
  share_across(*m);
  wake(*m, 100 * ms);
  ASSERT_EQ(where.thread_moves.size(), 1u);
  for (std::uint32_t t = 0; t < 4; ++t) EXPECT_EQ(node_of_thread(t), node_of_thread(t + 4)) << t;
}

TEST_F(azimi_threads, acting_on_nothing_still_detects) {
  const auto m = begin("azimi", 8, {{"act-on", "none"}, {"least-samples", "2000"}});
  share_across(*m);
  wake(*m, 100 * ms);
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_GT(m->sharing().total(), 0);
}

TEST_F(azimi_threads, without_a_machine_only_sharing_is_detected) {
  test::fake_world trace;
  const auto m = test::make_mechanism("azimi");
  m->on_thread_start(thread_id(0), trace);
  EXPECT_TRUE(trace.wake_ups.empty());
}

TEST_F(azimi_threads, bad_parameters_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter region: 100 is not a power of two",
                      test::refusal_of("azimi", {{"region", "100"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'scotch'?",
                      test::refusal_of("azimi", {{"mapper", "scoch"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "parameter act-on: unknown word 'pages'",
                      test::refusal_of("azimi", {{"act-on", "pages"}}));
}

}  // namespace
}  // namespace numatch
