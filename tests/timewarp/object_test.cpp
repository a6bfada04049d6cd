// SPDX-License-Identifier: Apache-2.0
#include "timewarp/object.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace timewarp {
namespace {

constexpr unsigned save_every = 3;

/// A cell without calls of its own, so that a test says all that comes.
model quiet() {
  model of;
  of.calls_per_cell = 0;
  return of;
}

message call(ticks time, std::uint64_t number) {
  return {{time, 0, 1, number}, number * 7};
}

/// What the model makes of the calls in this order.
cell_state in_order(const model& of, const std::vector<message>& calls) {
  cell_state state = of.first_state(0);
  for (const message& one : calls) of.arrive(state, one);
  return state;
}

class TimeWarpObject : public testing::Test {
 protected:
  void receive(const message& what) { cell.receive({what, false}, out); }
  void annul(const message& what) { cell.receive({{what.key, 0}, true}, out); }
  void execute_all() {
    while (cell.next_time() != object::never) cell.execute(out);
  }
  std::size_t annulled() const {
    return static_cast<std::size_t>(
        std::count_if(out.begin(), out.end(), [](const letter& one) { return one.annuls; }));
  }

  model of = quiet();
  object cell{of, 0, save_every};
  std::vector<letter> out;
};

TEST_F(TimeWarpObject, HandlesEventsInTheOrderOfTheirKeysHoweverTheyCame) {
  for (const ticks time : {30U, 10U, 20U}) receive(call(time, time));
  EXPECT_EQ(cell.next_time(), 10U);
  execute_all();
  EXPECT_EQ(cell.state(), in_order(of, {call(10, 10), call(20, 20), call(30, 30)}));
  EXPECT_EQ(cell.counts().rollbacks, 0U);
}

TEST_F(TimeWarpObject, UndoesWhatALateEventShouldHavePreceded) {
  for (const ticks time : {10U, 20U, 30U, 40U, 50U}) receive(call(time, time));
  execute_all();
  out.clear();
  receive(call(25, 1));
  EXPECT_EQ(cell.counts().rollbacks, 1U);
  EXPECT_EQ(cell.counts().undone, 3U);
  EXPECT_EQ(annulled(), 3U);
  EXPECT_EQ(cell.next_time(), 25U);
  EXPECT_EQ(cell.state(), in_order(of, {call(10, 10), call(20, 20)}));
  execute_all();
  EXPECT_EQ(cell.state(), in_order(of, {call(10, 10), call(20, 20), call(25, 1), call(30, 30),
                                        call(40, 40), call(50, 50)}));
}

TEST_F(TimeWarpObject, AnnulsWhatItSentAndNothingElse) {
  for (const ticks time : {10U, 20U, 30U}) receive(call(time, time));
  execute_all();
  const std::vector<letter> sent = out;
  out.clear();
  receive(call(15, 1));
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].what.key, sent[2].what.key);
  EXPECT_EQ(out[1].what.key, sent[1].what.key);
}

TEST_F(TimeWarpObject, AnEventThatIsAnnulledBeforeItIsHandledNeverWas) {
  receive(call(10, 1));
  receive(call(20, 2));
  annul(call(10, 1));
  execute_all();
  EXPECT_EQ(cell.counts().rollbacks, 0U);
  EXPECT_EQ(cell.state(), in_order(of, {call(20, 2)}));
}

TEST_F(TimeWarpObject, AnEventThatIsAnnulledAfterItWasHandledIsUndone) {
  for (const ticks time : {10U, 20U, 30U}) receive(call(time, time));
  execute_all();
  annul(call(20, 20));
  EXPECT_EQ(cell.counts().undone, 2U);
  execute_all();
  EXPECT_EQ(cell.state(), in_order(of, {call(10, 10), call(30, 30)}));
}

TEST_F(TimeWarpObject, AnAnnulledMessageThatNeverCameIsCounted) {
  annul(call(10, 1));
  receive(call(20, 2));
  annul(call(10, 1));
  EXPECT_EQ(cell.counts().lost, 2U);
}

TEST_F(TimeWarpObject, CanStillBeUndoneToTheHorizonAfterItsHistoryIsCollected) {
  std::vector<message> all;
  for (std::uint64_t i = 1; i <= 20; ++i) all.push_back(call(10 * i, i));
  for (const message& one : all) receive(one);
  execute_all();
  EXPECT_GT(cell.collect(150), 0U);
  receive(call(150, 0));  // exactly at the horizon, before the event that is there already
  execute_all();
  all.insert(all.begin() + 14, call(150, 0));
  EXPECT_EQ(cell.state(), in_order(of, all));
}

TEST_F(TimeWarpObject, TheWorkOfEachEventIsCollectedOnce) {
  std::uint64_t expected = 0;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    receive(call(10 * i, i));
    expected += of.work_of(0, 10 * i);
  }
  execute_all();
  std::uint64_t collected = 0;
  for (const ticks horizon : {50U, 50U, 120U, 400U}) collected += cell.collect(horizon);
  receive(call(1000, 99));
  execute_all();
  EXPECT_LE(collected, expected);
  EXPECT_GE(collected, expected - save_every * (200 + of.crowded));
}

TEST_F(TimeWarpObject, UsesCollectedMemoryAgain) {
  std::size_t after_ten = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    receive(call(10 * i, i));
    execute_all();
    cell.collect(10 * i);
    std::size_t bytes = 0;
    cell.each_chunk([&](void*, std::size_t size) { bytes += size; });
    if (i == 10) after_ten = bytes;
    if (i > 10) {
      ASSERT_EQ(bytes, after_ten);
    }
  }
}

}  // namespace
}  // namespace timewarp
