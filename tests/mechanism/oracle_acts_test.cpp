// SPDX-License-Identifier: Apache-2.0
// What the oracle does in a world that has a machine.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "fake_world.hpp"
#include "mechanism/page_uses.hpp"

namespace numatch {
namespace {

using test::make_mechanism;
using testing::IsSubstring;

constexpr std::uint64_t ms = 1'000'000;

class oracle_on_four_nodes : public testing::Test {
 protected:
  oracle_on_four_nodes() : machine(topology::load("numa:4 core:2 pu:1").value()) {
    where.known_machine = &machine;
    for (std::uint32_t t = 0; t < 8; ++t) where.pu_of_thread[t] = t % 2 * 4 + t / 2;
  }
  void start(const std::map<std::string, std::string>& given = {}, std::uint32_t threads = 8) {
    oracle = make_mechanism("oracle", given);
    oracle->on_begin(where);
    for (std::uint32_t t = 0; t < threads; ++t) oracle->on_thread_start(thread_id(t), where);
  }
  void use(std::uint32_t thread, std::uint64_t address, std::size_t times) {
    const std::vector<access_event> accesses(times, access_event{address, 8, true});
    oracle->on_accesses(thread_id(thread), accesses, where);
  }
  void wake() {
    where.time = where.wake_ups.back();
    oracle->on_wake_up(where);
  }
  std::uint32_t node_where(std::uint32_t thread) {
    return machine.node_of(pu_id(where.pu_of_thread[thread])).value;
  }

  topology machine;
  test::fake_world where;
  std::unique_ptr<mechanism> oracle;
};

TEST_F(oracle_on_four_nodes, threads_that_share_become_neighbours_and_their_pages_follow) {
  start();
  for (std::uint32_t t = 0; t < 8; ++t) {
    use(t, 4096 * (t / 2), 10);
    where.node_of_page[t / 2] = 3;
  }
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 100 * ms);
  wake();
  ASSERT_EQ(where.thread_moves.size(), 1u);
  for (std::uint32_t t = 0; t < 8; t += 2) {
    EXPECT_EQ(node_where(t), node_where(t + 1)) << t;
    EXPECT_EQ(where.node_of_page[t / 2], node_where(t)) << t;
  }
  EXPECT_EQ(where.wake_ups.back().nanoseconds, 200 * ms);
}

TEST_F(oracle_on_four_nodes, a_page_goes_to_the_node_whose_threads_use_it_most) {
  where.pu_of_thread = {{0, 0}, {1, 2}, {2, 3}, {3, 6}};
  where.node_of_page = {{5, 0}};
  start({{"act-on", "pages"}}, 4);
  use(0, 5 * 4096, 10);
  use(1, 5 * 4096, 8);
  use(2, 5 * 4096, 8);
  use(3, 5 * 4096, 11);
  wake();
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0], (std::pair<std::uint64_t, std::uint32_t>{5, 1}));
  EXPECT_TRUE(where.thread_moves.empty());
}

TEST_F(oracle_on_four_nodes, a_page_that_all_nodes_use_alike_stays_unless_any_lead_counts) {
  for (const auto& [gain, home] : {std::pair{"0.1", 0u}, {"0", 1u}}) {
    where.pu_of_thread = {{0, 0}, {1, 2}, {2, 4}, {3, 6}};
    where.node_of_page = {{5, 0}};
    start({{"act-on", "pages"}, {"page-gain", gain}}, 4);
    for (std::uint32_t t = 0; t < 4; ++t) use(t, 5 * 4096, t == 1 ? 12 : 10);
    wake();
    EXPECT_EQ(where.node_of_page[5], home) << gain;
  }
}

TEST_F(oracle_on_four_nodes, a_page_follows_its_thread_without_new_accesses) {
  where.node_of_page = {{5, 0}};
  start({{"act-on", "pages"}}, 1);
  use(0, 5 * 4096, 10);
  wake();
  EXPECT_TRUE(where.page_moves.empty());
  where.pu_of_thread[0] = 6;
  wake();
  EXPECT_EQ(where.node_of_page[5], 3u);
}

TEST_F(oracle_on_four_nodes, only_pages_in_use_are_looked_at_while_threads_stay) {
  start({{"act-on", "pages"}}, 1);
  const auto scanned = [&] { return where.work.back(); };
  use(0, 0, 1);
  use(0, 4096, 1);
  wake();
  EXPECT_EQ(scanned(), (std::pair{software_work::scan_pages, std::uint64_t{2}}));
  use(0, 4096, 1);
  wake();
  EXPECT_EQ(scanned(), (std::pair{software_work::scan_pages, std::uint64_t{1}}));
}

TEST_F(oracle_on_four_nodes, finer_granules_and_windows_count_pages_just_as_well) {
  for (const std::map<std::string, std::string>& given :
       {std::map<std::string, std::string>{{"granularity", "64"}},
        {{"granularity", "2097152"}},
        {{"window", "1000000"}}}) {
    where.page_moves.clear();
    where.node_of_page = {{1, 0}};
    where.pu_of_thread[0] = 0;
    where.pu_of_thread[1] = 7;
    start(given, 2);
    use(0, 4096, 3);
    use(1, 4096 + 64, 2);
    use(1, 4096 + 128, 2);
    wake();
    // Wherever both went, the page lies with thread 1, which used it 4 times, not 3.
    EXPECT_EQ(where.node_of_page[1], node_where(1)) << given.begin()->first;
  }
}

TEST_F(oracle_on_four_nodes, large_pages_are_counted_as_a_whole) {
  where.page_size = 2 << 20;
  where.node_of_page = {{0, 3}};
  where.pu_of_thread = {{0, 0}};
  start({}, 1);
  use(0, 4096, 1);
  use(0, 8192, 1);
  wake();
  ASSERT_EQ(where.page_moves.size(), 1u);
  EXPECT_EQ(where.page_moves[0].first, 0u);
}

TEST_F(oracle_on_four_nodes, every_interval_is_a_window_and_the_matrix_ages) {
  start({{"act-on", "none"}});
  use(0, 4096, 8);
  use(1, 4096, 8);
  EXPECT_EQ(oracle->sharing().at(0, 1), 8);
  wake();
  EXPECT_EQ(oracle->sharing().at(0, 1), 6);
  use(1, 4096, 100);
  wake();
  EXPECT_EQ(oracle->sharing().at(0, 1), 4.5) << "thread 0 did not use the page in this interval";
}

TEST_F(oracle_on_four_nodes, ageing_pages_forgets_what_was_long_ago) {
  where.pu_of_thread = {{0, 0}, {1, 7}};
  where.node_of_page = {{1, 0}};
  start({{"act-on", "pages"}, {"page-ageing", "0.1"}}, 2);
  use(0, 4096, 100);
  wake();
  use(1, 4096, 15);
  wake();
  EXPECT_EQ(where.node_of_page[1], 3u);
}

TEST_F(oracle_on_four_nodes, acting_on_nothing_moves_nothing) {
  start({{"act-on", "none"}});
  where.node_of_page = {{0, 3}};
  for (std::uint32_t t = 0; t < 8; ++t) use(t, 0, 10);
  wake();
  EXPECT_TRUE(where.thread_moves.empty());
  EXPECT_TRUE(where.page_moves.empty());
}

TEST_F(oracle_on_four_nodes, our_mapper_can_be_chosen_and_unknown_ones_are_refused) {
  start({{"mapper", "numatch"}});
  for (std::uint32_t t = 0; t < 8; ++t) use(t, 4096 * (t / 2), 10);
  wake();
  for (std::uint32_t t = 0; t < 8; t += 2) EXPECT_EQ(node_where(t), node_where(t + 1)) << t;
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'numatch'?",
                      test::refusal_of("oracle", {{"mapper", "nummatch"}}));
}

TEST(better_node, is_nowhere_else_when_the_page_lies_with_some_of_its_main_users) {
  const std::vector<std::optional<node_id>> nodes{node_id(0), node_id(1), std::nullopt};
  const std::vector<oracle::page_uses::thread_uses> uses{{0, 5}, {1, 5}, {2, 99}, {7, 99}};
  std::vector<double> by_node(3);
  EXPECT_EQ(oracle::better_node(uses, nodes, node_id(1), 0, by_node), std::nullopt);
  EXPECT_EQ(oracle::better_node(uses, nodes, node_id(2), 0, by_node), node_id(0));
  EXPECT_EQ(oracle::better_node({}, nodes, node_id(2), 0, by_node), std::nullopt);
}

TEST(better_node, is_worth_going_to_for_more_than_the_share_that_a_move_must_gain) {
  const std::vector<std::optional<node_id>> nodes{node_id(0), node_id(1), node_id(2)};
  const std::vector<oracle::page_uses::thread_uses> uses{{0, 30}, {1, 40}, {2, 30}};
  std::vector<double> by_node(3);
  EXPECT_EQ(oracle::better_node(uses, nodes, node_id(0), 0.09, by_node), node_id(1));
  EXPECT_EQ(oracle::better_node(uses, nodes, node_id(0), 0.1, by_node), std::nullopt);
}

RC_GTEST_PROP(page_uses, add_up_by_page_and_thread, ()) {
  const auto added = *rc::gen::container<std::vector<std::tuple<std::uint8_t, std::uint8_t, int>>>(
      rc::gen::tuple(rc::gen::inRange<std::uint8_t>(0, 20), rc::gen::inRange<std::uint8_t>(0, 5),
                     rc::gen::inRange(1, 100)));
  oracle::page_uses uses;
  std::map<std::uint64_t, std::map<std::uint32_t, double>> model;
  for (const auto& [page, thread, times] : added) {
    uses.add(page_number(page), thread_id(thread), static_cast<std::uint64_t>(times));
    model[page][thread] += times;
  }
  std::vector<page_number> pages;
  for (const auto& [page, by_thread] : model) {
    pages.emplace_back(page);
    std::map<std::uint32_t, double> found;
    for (const oracle::page_uses::thread_uses& t : uses.of(page_number(page))) {
      found[t.thread] = t.uses;
    }
    RC_ASSERT(found == by_thread);
  }
  RC_ASSERT(uses.take_used(false) == pages);
  RC_ASSERT(uses.take_used(false).empty());
  RC_ASSERT(uses.take_used(true) == pages);
}

}  // namespace
}  // namespace numatch
