// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "recorded.hpp"

namespace numatch::capture {
namespace {

using trace::event_kind;

constexpr std::uint64_t end_of(std::uint64_t thread) {
  return std::uint64_t{3} << 62 | thread;
}

TEST(threads, keep_apart_when_qemu_reuses_its_numbers) {
  const recorded run("threads");
  ASSERT_EQ(run.end().code, 0) << run.end().err;
  ASSERT_EQ(run.trace().threads().size(), 241U);
  const seen_event slots = run.label("slots");
  std::set<std::uint32_t> os_tids;
  for (const trace::thread_info& thread : run.trace().threads()) os_tids.insert(thread.os_tid);
  EXPECT_EQ(os_tids.size(), 241U);
  const std::map<std::uint32_t, tally> by_thread = run.accesses("slots");
  EXPECT_EQ(by_thread.size(), 240U);
  for (const auto& [thread, part] : by_thread) EXPECT_EQ(part.writes, 100U) << thread;
}

TEST(threads, are_numbered_in_the_order_of_their_creation) {
  const recorded run("threads");
  for (const seen_event& name : run.events(event_kind::thread_name)) {
    EXPECT_EQ(name.text, "worker " + std::to_string(name.thread - 1));
  }
  EXPECT_EQ(run.events(event_kind::thread_name).size(), 240U);
  for (const seen_event& start : run.events(event_kind::thread_start)) {
    EXPECT_EQ(start.event.args[1], start.thread == 0 ? ~std::uint64_t{0} : 0U) << start.thread;
  }
}

TEST(threads, have_a_stack_that_holds_their_first_access) {
  const recorded run("threads");
  std::map<std::uint32_t, int> stacks;
  for (const seen_event& stack : run.events(event_kind::stack)) {
    ++stacks[stack.thread];
    trace::access_cursor cursor = run.trace().accesses_of(thread_id(stack.thread));
    const result<trace::block> first = cursor.next();
    ASSERT_TRUE(first);
    ASSERT_FALSE(first->accesses.empty());
    EXPECT_LT(first->accesses[0].address - stack.event.args[0], stack.event.args[1]);
    EXPECT_LE(stack.event.args[1], std::uint64_t{64} << 20);
  }
  EXPECT_EQ(stacks.size(), 241U);
}

TEST(threads, end_before_their_join) {
  const recorded run("threads");
  std::map<std::uint64_t, std::uint64_t> ended;
  std::map<std::uint64_t, std::uint64_t> joined;
  for (const seen_event& e : run.events(event_kind::release))
    ended[e.event.args[0]] = e.event.stamp;
  for (const seen_event& e : run.events(event_kind::acquire)) {
    if (e.thread == 0) joined[e.event.args[0]] = e.event.stamp;
  }
  for (std::uint64_t thread = 1; thread <= 240; ++thread) {
    ASSERT_TRUE(joined.contains(end_of(thread))) << thread;
    ASSERT_TRUE(ended.contains(end_of(thread))) << thread;
    EXPECT_LT(ended[end_of(thread)], joined[end_of(thread)]) << thread;
  }
}

TEST(threads, that_take_turns_by_a_futex_are_ordered_by_it) {
  const recorded run("ping_pong");
  ASSERT_EQ(run.end().code, 0) << run.end().err;
  const std::uint64_t wakes = run.label("turn").event.args[0] * 2 + 1;
  std::map<std::uint32_t, int> releases;
  for (const seen_event& e : run.events(event_kind::release)) {
    if (e.event.args[0] == wakes) ++releases[e.thread];
  }
  EXPECT_EQ(releases[0], 50);
  EXPECT_EQ(releases[1], 50);
  int acquires = 0;
  for (const seen_event& e : run.events(event_kind::acquire)) acquires += e.event.args[0] == wakes;
  EXPECT_GT(acquires, 0);
}

TEST(threads, that_ended_before_their_join_are_ordered_all_the_same) {
  const recorded run("ping_pong");
  std::uint64_t ended = 0;
  std::uint64_t joined = 0;
  for (const seen_event& e : run.events(event_kind::release)) {
    if (e.event.args[0] == end_of(1) && e.thread == 1) ended = e.event.stamp;
  }
  for (const seen_event& e : run.events(event_kind::acquire)) {
    if (e.event.args[0] == end_of(1) && e.thread == 0) joined = e.event.stamp;
  }
  EXPECT_GT(ended, 0U);
  EXPECT_GT(joined, ended);
}

TEST(forked_children, leave_the_trace_alone) {
  const recorded run("forks");
  ASSERT_EQ(run.end().code, 0) << run.end().err;
  EXPECT_EQ(run.trace().threads().size(), 1U);
  EXPECT_EQ(run.total("data").writes, 30U);
  EXPECT_EQ(run.events(event_kind::thread_end).size(), 1U);
}

}  // namespace
}  // namespace numatch::capture
