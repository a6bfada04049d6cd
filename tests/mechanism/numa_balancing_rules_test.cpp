// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "mechanism/hint_fault_places.hpp"

namespace numatch {
namespace {

using namespace numa_balancing;

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t mebi = 1 << 20;

fault_sums sums(std::vector<std::int64_t> of_private, std::vector<std::int64_t> of_cpu = {}) {
  fault_sums made(of_private.size());
  made.of_private = std::move(of_private);
  if (!of_cpu.empty()) made.of_cpu = std::move(of_cpu);
  return made;
}

hint_fault fault(std::optional<std::uint32_t> last_thread, std::uint32_t last_node) {
  hint_fault made{.thread = thread_id(0), .from = node_id(1), .to = node_id(0)};
  if (last_thread) made.last_thread = thread_id(*last_thread);
  made.last_node = node_id(last_node);
  return made;
}

TEST(numa_balancing_pages, move_at_once_for_private_faults_early_in_a_threads_life) {
  hint_fault first = fault(std::nullopt, 0);
  first.early = true;
  EXPECT_TRUE(page_moves(first, nullptr, true));
  hint_fault own = fault(0, 1);
  EXPECT_FALSE(page_moves(own, nullptr, true));
  own.early = true;
  EXPECT_TRUE(page_moves(own, nullptr, true));
}

TEST(numa_balancing_pages, need_two_faults_from_the_same_node) {
  EXPECT_FALSE(page_moves(fault(3, 1), nullptr, true));
  EXPECT_TRUE(page_moves(fault(3, 0), nullptr, true));
  EXPECT_TRUE(page_moves(fault(3, 1), nullptr, false));
  EXPECT_TRUE(page_moves(fault(0, 0), nullptr, true));
}

TEST(numa_balancing_pages, of_a_group_go_to_a_node_with_three_times_the_faults) {
  const fault_sums more = sums({0, 0}, {31, 10});
  EXPECT_TRUE(page_moves(fault(3, 0), &more, true));
  const fault_sums enough = sums({0, 0}, {30, 10});
  EXPECT_FALSE(page_moves(fault(3, 0), &enough, true));
}

TEST(numa_balancing_pages, of_a_group_follow_the_faults_for_the_memory_with_hysteresis) {
  // 10 x memory of the source x 3 against 10 x memory of the target x 4
  const fault_sums fuller = sums({30, 41}, {10, 10});
  EXPECT_TRUE(page_moves(fault(3, 0), &fuller, true));
  const fault_sums alike = sums({30, 40}, {10, 10});
  EXPECT_FALSE(page_moves(fault(3, 0), &alike, true));
  const fault_sums nothing = sums({0, 0}, {0, 0});
  EXPECT_FALSE(page_moves(fault(3, 0), &nothing, true));
  EXPECT_TRUE(page_moves(fault(0, 0), &nothing, true));  // private
}

TEST(numa_balancing_faults, are_halved_with_every_pass) {
  fault_sums thread = sums({8, 0}, {65536, 0});
  fault_sums group = sums({100, 100});
  fault_sums fresh = sums({1, 3}, {1, 3});
  thread.fold(fresh, &group);
  EXPECT_EQ(thread.of_private, (std::vector<std::int64_t>{5, 3}));
  EXPECT_EQ(group.of_private, (std::vector<std::int64_t>{97, 103}));
  // 65536 x 1 / 5, 65536 x 3 / 5
  EXPECT_EQ(thread.of_cpu, (std::vector<std::int64_t>{32768 + 13107, 39321}));
}

TEST(numa_balancing_faults, weigh_in_thousandths) {
  fault_sums thread = sums({1, 3});
  thread.of_shared = {1, 0};
  EXPECT_EQ(thread.weight(node_id(0)), 400);
  EXPECT_EQ(thread.weight(node_id(1)), 600);
  EXPECT_EQ(thread.busiest(), node_id(1));
  EXPECT_EQ(sums({0, 0}).weight(node_id(0)), 0);
  EXPECT_EQ(sums({0, 0}).busiest(), std::nullopt);
}

TEST(numa_balancing_faults, come_from_active_nodes_when_more_than_a_third_of_the_most) {
  EXPECT_EQ(active_nodes(sums({0, 0, 0}, {9, 3, 4})), (std::vector<bool>{true, false, true}));
}

RC_GTEST_PROP(numa_balancing_faults, a_group_is_the_sum_of_its_threads_after_any_passes, ()) {
  fault_sums group(2), a(2), b(2);
  const auto passes = *rc::gen::container<std::vector<std::vector<std::uint8_t>>>(
      rc::gen::container<std::vector<std::uint8_t>>(4, rc::gen::arbitrary<std::uint8_t>()));
  for (const std::vector<std::uint8_t>& p : passes) {
    a.fold(sums({p[0], p[1]}, {p[2], p[3]}), &group);
    b.fold(sums({p[3], p[2]}, {p[1], p[0]}), &group);
  }
  fault_sums both = a;
  both.add(b);
  RC_ASSERT(group.of_private == both.of_private);
  RC_ASSERT(group.of_cpu == both.of_cpu);
}

TEST(numa_balancing_period, the_default_is_a_second_and_shrinks_with_memory_to_100_ms) {
  const scan_rule rule;
  EXPECT_EQ(shortest_period({.mapped_bytes = 0}, rule), 1000 * ms);
  EXPECT_EQ(shortest_period({.mapped_bytes = 256 * mebi}, rule), 1000 * ms);
  EXPECT_EQ(shortest_period({.mapped_bytes = 257 * mebi}, rule), 500 * ms);
  EXPECT_EQ(shortest_period({.mapped_bytes = 25600 * mebi}, rule), 100 * ms);
  EXPECT_EQ(longest_period({.mapped_bytes = 512 * mebi}, rule), 30'000 * ms);
}

TEST(numa_balancing_period, shared_faults_of_a_group_make_it_longer) {
  const scan_rule rule;
  const scan_load shared{
      .mapped_bytes = 0, .group_threads = 8, .private_faults = 0, .shared_faults = 99};
  EXPECT_EQ(first_period(shared, rule), 8000 * ms);
  EXPECT_EQ(longest_period(shared, rule), 480'000 * ms);
  const scan_load mixed{
      .mapped_bytes = 0, .group_threads = 8, .private_faults = 300, .shared_faults = 99};
  EXPECT_EQ(first_period(mixed, rule), 2000 * ms);
}

TEST(numa_balancing_period, doubles_without_faults_and_after_failed_moves) {
  EXPECT_EQ(next_period(1000, {}, 1000, 60'000), 2000u);
  EXPECT_EQ(next_period(40'000, {}, 1000, 60'000), 60'000u);
  EXPECT_EQ(next_period(1000, {.local = 9, .failed_moves = 1, .of_private = 9}, 1000, 60'000),
            2000u);
}

TEST(numa_balancing_period, grows_while_faults_are_private_or_local) {
  EXPECT_EQ(next_period(1000, {.local = 1, .remote = 9, .of_private = 10}, 500, 60'000), 1300u);
  EXPECT_EQ(
      next_period(1000, {.local = 1, .remote = 9, .of_private = 7, .of_shared = 3}, 500, 60'000),
      1100u);
  EXPECT_EQ(
      next_period(1000, {.local = 9, .remote = 1, .of_private = 0, .of_shared = 10}, 500, 60'000),
      1200u);
}

TEST(numa_balancing_period, falls_while_faults_are_shared_and_remote) {
  EXPECT_EQ(
      next_period(1000, {.local = 2, .remote = 8, .of_private = 3, .of_shared = 7}, 500, 60'000),
      600u);
  EXPECT_EQ(
      next_period(1000, {.local = 0, .remote = 8, .of_private = 0, .of_shared = 8}, 500, 60'000),
      500u);
}

class numa_balancing_places : public testing::Test {
 protected:
  numa_balancing_places()
      : machine(topology::load("numa:3 core:2 pu:1").value()), group(3), quiet(3) {}
  /// A thread that prefers a node and has all its faults there.
  placed_thread thread(std::uint32_t pu, std::uint32_t prefers) {
    fault_sums own(3);
    own.of_private[prefers] = 1000;
    own_.push_back(std::make_unique<fault_sums>(own));
    return {pu_id(pu), own_.back().get(), node_id(prefers), false};
  }
  placed_thread idler(std::uint32_t pu) { return {pu_id(pu), &quiet, std::nullopt, false}; }

  topology machine;
  fault_sums group;
  fault_sums quiet;

 private:
  std::vector<std::unique_ptr<fault_sums>> own_;
};

TEST_F(numa_balancing_places, an_idle_pu_of_the_preferred_node_is_taken) {
  const std::vector<placed_thread> threads{thread(0, 2), idler(1)};
  const auto step = better_place(thread_id(0), threads, group, machine);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->to, pu_id(4));
  EXPECT_FALSE(step->swap);
}

TEST_F(numa_balancing_places, an_idle_pu_is_left_alone_where_the_node_would_get_fuller_than_here) {
  const std::vector<placed_thread> threads{thread(0, 2), idler(4)};
  EXPECT_FALSE(better_place(thread_id(0), threads, group, machine));
}

TEST_F(numa_balancing_places, on_a_full_node_the_swap_that_gains_most_is_made) {
  const std::vector<placed_thread> threads{thread(0, 2), idler(4), thread(5, 0)};
  const auto step = better_place(thread_id(0), threads, group, machine);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->to, pu_id(5));
  EXPECT_EQ(step->swap, thread_id(2));
}

TEST_F(numa_balancing_places, a_partner_that_leaves_its_preferred_node_is_taken_last) {
  placed_thread at_home = idler(4);
  at_home.preferred = node_id(2);
  const std::vector<placed_thread> threads{thread(0, 2), at_home, idler(5)};
  const auto step = better_place(thread_id(0), threads, group, machine);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->swap, thread_id(2));
}

TEST_F(numa_balancing_places, a_partner_that_comes_to_its_preferred_node_is_taken_for_less) {
  placed_thread comes_home = idler(5);
  comes_home.preferred = node_id(0);
  fault_sums likes_node_2(3);
  likes_node_2.of_private = {0, 50, 950};
  comes_home.faults = &likes_node_2;
  const std::vector<placed_thread> threads{thread(0, 2), idler(4), comes_home};
  const auto step = better_place(thread_id(0), threads, group, machine);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->swap, thread_id(2));
}

TEST_F(numa_balancing_places, a_swap_that_costs_the_other_as_much_is_not_made) {
  const std::vector<placed_thread> threads{thread(0, 2), thread(4, 2), thread(5, 2)};
  EXPECT_FALSE(better_place(thread_id(0), threads, group, machine));
}

TEST_F(numa_balancing_places, a_thread_of_a_group_also_looks_at_other_nodes_of_the_group) {
  std::vector<placed_thread> threads{thread(0, 2), thread(4, 2), thread(5, 2), idler(1)};
  for (placed_thread& t : threads) t.in_group = true;
  group.of_private = {0, 400, 1000};
  const auto step = better_place(thread_id(0), threads, group, machine);
  ASSERT_TRUE(step);
  EXPECT_EQ(machine.node_of(step->to), node_id(1));
  EXPECT_FALSE(step->swap);
}

TEST_F(numa_balancing_places, threads_that_have_ended_hold_no_place) {
  std::vector<placed_thread> threads{thread(0, 2), thread(4, 2), thread(5, 2)};
  threads[1].pu.reset();
  threads[2].pu.reset();
  const auto step = better_place(thread_id(0), threads, group, machine);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->to, pu_id(4));
}

}  // namespace
}  // namespace numatch
