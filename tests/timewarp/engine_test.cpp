// SPDX-License-Identifier: Apache-2.0
#include "timewarp/engine.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <vector>

#include "common/crew.hpp"
#include "timewarp/sequential.hpp"

namespace timewarp {
namespace {

struct outcome {
  std::vector<cell_state> cells;
  run_counts counts;
};

outcome run(const model& of, const settings& how) {
  engine simulation(of, how);
  workload::on_all_threads(how.threads, [&](unsigned me) {
    simulation.run(me);
    return std::size_t{0};
  });
  outcome done;
  for (std::uint32_t cell = 0; cell < of.cells(); ++cell) {
    done.cells.push_back(simulation.state(cell));
  }
  done.counts = simulation.counts();
  return done;
}

/// Threads that fall behind each other, so that much has to be undone.
settings eager() {
  settings how;
  how.threads = 4;
  how.work_per_round = 6000;
  how.window = 2000;
  return how;
}

TEST(TimeWarp, EndsAsTheSequentialRunThoughItUndoesMuch) {
  const model of;
  const sequential_result right = run_sequentially(of);
  const outcome done = run(of, eager());
  EXPECT_EQ(done.cells, right.cells);
  EXPECT_EQ(done.counts.events.executed - done.counts.events.undone, right.events);
  EXPECT_EQ(done.counts.events.lost, 0U);
  EXPECT_GT(done.counts.events.undone, right.events / 10);
}

TEST(TimeWarp, DoesTheSameInEveryRun) {
  const model of;
  const outcome first = run(of, eager());
  const outcome second = run(of, eager());
  EXPECT_EQ(first.counts.rounds, second.counts.rounds);
  EXPECT_EQ(first.counts.events.executed, second.counts.events.executed);
  EXPECT_EQ(first.counts.events.rollbacks, second.counts.events.rollbacks);
  EXPECT_EQ(first.counts.bound_again, second.counts.bound_again);
}

TEST(TimeWarp, LoadSharingBindsObjectsAgainAndNeedsFewerRounds) {
  const model of;
  settings fixed = eager();
  fixed.window = 400;
  fixed.share_load = false;
  settings shared = fixed;
  shared.share_load = true;
  const outcome without = run(of, fixed);
  const outcome with = run(of, shared);
  EXPECT_EQ(without.counts.bound_again, 0U);
  EXPECT_GT(with.counts.bound_again, of.cells() / 2);
  EXPECT_LT(with.counts.rounds, without.counts.rounds);
}

TEST(TimeWarp, MovingResidentSetsChangesNothingButPlaces) {
  const model of;
  settings moving = eager();
  moving.resident_set = true;
  const outcome with = run(of, moving);
  const outcome without = run(of, eager());
  EXPECT_EQ(with.cells, without.cells);
  EXPECT_EQ(with.counts.events.executed, without.counts.events.executed);
  EXPECT_EQ(with.counts.bound_again, without.counts.bound_again);
}

TEST(TimeWarp, AnotherSeedEndsInAnotherWay) {
  model other;
  other.seed = 2;
  EXPECT_NE(run(other, eager()).cells, run(model{}, eager()).cells);
}

RC_GTEST_PROP(TimeWarp, EndsAsTheSequentialRunWithAnySettings, ()) {
  model of;
  of.width = *rc::gen::inRange(1U, 9U);
  of.height = *rc::gen::inRange(1U, 5U);
  of.calls_per_cell = *rc::gen::inRange(0U, 5U);
  of.mean_stay = *rc::gen::inRange<ticks>(1, 200);
  of.end = *rc::gen::inRange<ticks>(1, 1500);
  of.seed = *rc::gen::arbitrary<std::uint64_t>();
  settings how;
  how.threads = *rc::gen::inRange(1U, 7U);
  how.share_load = *rc::gen::arbitrary<bool>();
  how.work_per_round = *rc::gen::inRange<std::uint64_t>(1, 30000);
  how.window = *rc::gen::inRange<ticks>(1, 2000);
  how.rounds_per_gvt = *rc::gen::inRange(1U, 6U);
  how.gvts_per_sharing = *rc::gen::inRange(1U, 4U);
  how.save_every = *rc::gen::inRange(1U, 8U);
  const sequential_result right = run_sequentially(of);
  const outcome done = run(of, how);
  RC_ASSERT(done.cells == right.cells);
  RC_ASSERT(done.counts.events.lost == 0U);
  RC_ASSERT(done.counts.events.executed - done.counts.events.undone == right.events);
}

}  // namespace
}  // namespace timewarp
