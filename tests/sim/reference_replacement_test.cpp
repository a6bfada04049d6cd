// SPDX-License-Identifier: Apache-2.0
// What stays and what goes in caches and TLBs of the reference machine, line by line.
#include <gtest/gtest.h>

#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

using ref::message;
using ref::outcome;

machine_config one_chip() {
  return small_machine({1, 1, 2, 1});
}

outcome run_loads(const machine_config& machine, const std::vector<std::uint64_t>& lines) {
  std::vector<trace::access> accesses;
  for (const std::uint64_t number : lines) accesses.push_back(load(line(number)));
  return run_reference(machine, made_program(1).run(0, accesses));
}

TEST(ReferenceReplacement, AHitInTheLastLevelMakesTheLineTheMostRecentlyUsedThere) {
  // 0, 4 and 8 meet in the last level, 0, 2, 4 and 8 in the first. 2 drops 0 from the first level,
  // so 0 is seen by the last one, and 8 drops 4 from it.
  const outcome ended = run_loads(one_chip(), {0, 4, 2, 0, 8, 0});
  EXPECT_EQ(ended.counts.caches[0].misses, 5U);
  EXPECT_EQ(ended.counts.caches[1].misses, 4U);
}

TEST(ReferenceReplacement, AHitInTheFirstLevelIsNotSeenByTheLastOne) {
  // 8 drops 0 from the last level although it was used after 4.
  EXPECT_EQ(run_loads(one_chip(), {0, 4, 0, 8, 0}).counts.caches[1].misses, 4U);
}

TEST(ReferenceReplacement, LinesAreEnteredFromTheLastLevelUpwards) {
  // Sets of two ways above a set of three. 0 is kept in the first level by hits, and is the oldest
  // one in the middle: 6 drops it from both, and the free way above takes 6. So 4 is still there.
  machine_config machine = one_chip();
  machine.caches.back().bytes = 4096;
  add_middle_level(machine, 1, true);
  const outcome ended = run_loads(machine, {0, 2, 0, 4, 0, 6, 4});
  EXPECT_EQ(ended.counts.caches[0].misses, 4U);
}

TEST(ReferenceReplacement, AnUpgradeMakesTheLineTheMostRecentlyUsed) {
  // Thread 0 has 0 and 4 in state S (thread 2 reads them, too) in one set of the last level. The
  // upgrade of 0 leaves 4 as the oldest: 8 drops 4, and 0 is still there.
  const outcome ended =
      run_reference(small_machine({2, 1, 2, 1}), in_turn(3, {{0, load(line(0))},
                                                             {2, load(line(0))},
                                                             {0, load(line(4))},
                                                             {2, load(line(4))},
                                                             {0, store(line(0))},
                                                             {0, load(line(8))},
                                                             {0, store(line(0))}}));
  EXPECT_EQ(ended.counts.upgrades, 1U);
  EXPECT_EQ(ended.counts.caches[1].misses, 6U) << "four first ones, the upgrade, 8";
}

TEST(ReferenceReplacement, AHitInTheFirstTlbMakesThePageTheMostRecentlyUsed) {
  // Pages 0, 2 and 4 meet in a set of two ways.
  EXPECT_EQ(run_loads(one_chip(), {0, 32, 0, 64, 0}).counts.tlb_misses, 3U);
}

TEST(ReferenceReplacement, AHitInTheSecondTlbMakesThePageTheMostRecentlyUsedThere) {
  // Sets of two ways and of four. Page 0 is seen by the second TLB again before page 8 comes, so
  // page 2 goes; 6 and 4 drop 0 from the first TLB, and 0 is still in the second one.
  machine_config machine = one_chip();
  add_second_tlb(machine, 1);
  const outcome ended = run_loads(machine, {0, 32, 64, 96, 0, 128, 96, 64, 0});
  EXPECT_EQ(ended.counts.page_walks, 5U);
  EXPECT_EQ(ended.counts.tlb_misses, 9U);
}

TEST(ReferenceReplacement, AChipThatLostALineMissesItAgain) {
  const outcome ended =
      run_reference(small_machine({2, 1, 1, 1}),
                    in_turn(2, {{1, load(line(0))}, {0, store(line(0))}, {1, load(line(0))}}));
  EXPECT_EQ(ended.counts.caches[0].misses, 3U);
  EXPECT_EQ(ended.counts.caches[1].misses, 3U);
  EXPECT_EQ(ended.counts.cache_to_cache, 2U);
}

TEST(ReferenceReplacement, ALineThatLeavesTheChipIsSentWithTheRequest) {
  // Line 0 of page 1 goes when line 8 of page 2 comes: lines 16, 20 and 40 of all.
  const outcome ended = run_reference(
      small_machine({4, 1, 1, 1}),
      made_program(1).run(0, {store(line(1, 0)), load(line(1, 4)), load(line(2, 8))}));
  const auto sent_last = [&](traffic why) {
    std::uint64_t cycle = 0;
    for (const message& m : ended.messages) {
      if (m.why == why) cycle = m.sent.cycle;
    }
    return cycle;
  };
  EXPECT_EQ(ended.counts.write_backs, 1U);
  EXPECT_EQ(sent_last(traffic::write_back), sent_last(traffic::request));
}

}  // namespace
}  // namespace numatch::sim
