// SPDX-License-Identifier: Apache-2.0
// Last levels that are not inclusive, worked out by hand as in reference_times_test.cpp. Even lines
// meet in one set of two ways of the first level; lines 0, 4 and 8 in one set of two ways of the
// last one, lines 2 and 6 in another. Rows have four lines, over two banks.
#include <gtest/gtest.h>

#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

using ref::chip_state;
using ref::outcome;

machine_config not_inclusive(machine_shape shape) {
  machine_config made = small_machine(shape);
  made.caches.back().inclusive = false;
  return made;
}

/// 8 drops 0 from the last level, where nobody saw that it was used again; the first level has it.
const std::vector<trace::access> last_level_drops_0{load(line(0)), load(line(4)), load(line(0)),
                                                    load(line(8))};

TEST(ReferenceNotInclusive, WhatTheLastLevelDropsStaysAbove) {
  std::vector<trace::access> accesses = last_level_drops_0;
  accesses.push_back(load(line(0)));
  const outcome ended =
      run_reference(not_inclusive({1, 1, 2, 1}), made_program(1).run(0, accesses));
  EXPECT_EQ(ended.counts.caches[0].misses, 3U);
  EXPECT_EQ(ended.counts.caches[1].misses, 3U);
  EXPECT_EQ(ended.states.at(0)[0], chip_state::exclusive);
  // 0 as the first access of all; 4: bank 1, closed; 8: bank 0, another row; 0 twice in the first
  // level.
  EXPECT_EQ(ended.counts.cycles, 1105U + (9 + 66) + 2 + (9 + 93) + 2);
  EXPECT_EQ(run_reference(small_machine({1, 1, 2, 1}), made_program(1).run(0, accesses))
                .counts.caches[0]
                .misses,
            4U)
      << "an inclusive one takes it from the first level, too";
}

TEST(ReferenceNotInclusive, WhatTheFirstLevelDropsGoesToTheLastOneAndMayMakeAnotherLineLeave) {
  // As above with 4 written and 0 used again. 2 drops 8 from the first level, which the last one
  // has. 6 drops 0, which it has not: it takes 0 and drops 4, and 4 is nowhere else.
  const outcome ended = run_reference(
      not_inclusive({1, 1, 2, 1}),
      made_program(1).run(0, {load(line(0)), store(line(4)), load(line(0)), load(line(8)),
                              load(line(0)), load(line(2)), load(line(6)), load(line(0))}));
  EXPECT_EQ(ended.counts.caches[0].misses, 6U);
  EXPECT_EQ(ended.counts.caches[1].misses, 5U);
  EXPECT_EQ(ended.counts.write_backs, 1U);
  EXPECT_EQ(ended.states.at(4)[0], chip_state::invalid);
  EXPECT_EQ(ended.states.at(0)[0], chip_state::exclusive);
  EXPECT_EQ(ended.states.at(8)[0], chip_state::exclusive);
  // 2: bank 0, another row; 6: bank 1, the row of 4 is open; 0 in the last level. The write of 4
  // comes after the read of 6, and nobody waits for it.
  EXPECT_EQ(ended.counts.cycles, 1105U + (9 + 66) + 2 + (9 + 93) + 2 + (9 + 93) + (9 + 39) + 9);
  EXPECT_EQ(ended.counts.row_hits, 2U) << "the read of 6 and the write of 4";
}

TEST(ReferenceNotInclusive, DataThatTheLastLevelLacksComeFromAnotherCacheOfTheChip) {
  made_program code(2);
  code.run(0, last_level_drops_0).release(0, 1);
  code.acquire(1, 1).run(1, {load(line(0))});
  const outcome ended = run_reference(not_inclusive({1, 1, 2, 1}), code);
  // A cycle after the release: 1 + 1 + 30 + 7, and 2 for the other core's first level.
  EXPECT_EQ(ended.ended_at[1], ended.ended_at[0] + 1 + 39 + 2);
  EXPECT_EQ(ended.counts.caches[1].misses, 3U) << "the chip has it";
}

TEST(ReferenceNotInclusive, ACoreWhoseOwnCachesHaveTheLineNeedsThePermissionAlone) {
  std::vector<trace::access> accesses = last_level_drops_0;
  accesses.push_back(store(line(0)));
  const outcome ended =
      run_reference(not_inclusive({1, 1, 2, 1}), made_program(1).run(0, accesses));
  EXPECT_EQ(ended.counts.cycles, 1105U + (9 + 66) + 2 + (9 + 93) + 9);
  EXPECT_EQ(ended.states.at(0)[0], chip_state::modified);
  EXPECT_EQ(ended.counts.upgrades, 0U);
}

TEST(ReferenceNotInclusive, AnotherChipsWriteTakesWhatOnlyTheFirstLevelHas) {
  made_program code(2);
  code.run(0, last_level_drops_0).release(0, 1);
  code.acquire(1, 1).run(1, {store(line(0))}).release(1, 1);
  code.acquire(0, 1).run(0, {load(line(0))});
  const outcome ended = run_reference(not_inclusive({2, 1, 1, 1}), code);
  EXPECT_EQ(ended.counts.caches[0].misses, 3U + 1 + 1);
  EXPECT_EQ(ended.counts.invalidations, 1U);
  EXPECT_EQ(ended.counts.cache_to_cache, 2U) << "there and back";
}

}  // namespace
}  // namespace numatch::sim
