// SPDX-License-Identifier: Apache-2.0
// Exact cycles of the reference machine, worked out by hand. The numbers that come back:
//   first touch and walk       1000 + 30
//   access stall                  1
//   lookup of the last level      5 + 2 × 1 (to it and back within the chip)     = 7
//   memory, row closed           54 + 12 (burst)                                 = 66
//           row open             27 + 12                                         = 39
//           another row open     81 + 12                                         = 93
//   control message, one link    40 + 1 − 1                                      = 40, two: 80
//   data message, one link       40 + 5 − 1 (72 bytes, 16 per cycle: 5 cycles)   = 44, two: 84
// and every access is one instruction of one cycle unless said otherwise.
#include <gtest/gtest.h>

#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

using ref::outcome;

machine_config one_chip() {
  return small_machine({1, 1, 2, 1});
}
machine_config ring_of_four() {
  return small_machine({4, 1, 2, 1});
}

std::uint64_t end_of(const machine_config& machine, const std::vector<trace::access>& accesses) {
  made_program code(1);
  code.run(0, accesses);
  return run_reference(machine, code).counts.cycles;
}

TEST(ReferenceTimes, TheFirstAccessOfAllFaultsWalksAndReadsAClosedRow) {
  // 1 + 1 + 1030 + 7 + 66
  EXPECT_EQ(end_of(one_chip(), {load(line(0))}), 1105U);
  const outcome ended = run_reference(one_chip(), made_program(1).run(0, {load(line(0))}));
  EXPECT_EQ(ended.counts.stall_system, 1000U);
  EXPECT_EQ(ended.counts.stall_tlb, 30U);
  EXPECT_EQ(ended.counts.stall_caches, 8U);
  EXPECT_EQ(ended.counts.stall_memory, 66U);
  EXPECT_EQ(ended.counts.stall_queues, 0U);
  EXPECT_EQ(ended.counts.running_cycles, 1105U);
  EXPECT_EQ(ended.counts.page_faults, 1U);
  EXPECT_EQ(ended.counts.local_memory, 1U);
}

TEST(ReferenceTimes, AHitInTheFirstLevelStallsForTheAccessAlone) {
  EXPECT_EQ(end_of(one_chip(), {load(line(0)), load(line(0))}), 1105U + 2);
}

TEST(ReferenceTimes, AHitInTheLastLevelAddsItsLookup) {
  // Lines 0, 2 and 4 are in one set of two ways of the first level, and in two sets of the last.
  // 2 and 4: 1 + 1 + 7 and memory. Line 2 is in the row of line 0 (open: 39), line 4 the first of
  // bank 1 (closed: 66). 0 again: 1 + 1 + 7.
  EXPECT_EQ(end_of(one_chip(), {load(line(0)), load(line(2)), load(line(4)), load(line(0))}),
            1105U + (9 + 39) + (9 + 66) + 9);
}

TEST(ReferenceTimes, AHitInAMiddleLevelAddsItsLatencyAlone) {
  machine_config machine = one_chip();
  add_middle_level(machine, 1, true);
  // As above, but a lookup of the last level comes after one of the middle level: 3 + 7. The middle
  // level has two sets of three ways: the three even lines stay in it. 0 again: 1 + 1 + 3.
  EXPECT_EQ(end_of(machine, {load(line(0)), load(line(2)), load(line(4)), load(line(0))}),
            (1105U + 3) + (12 + 39) + (12 + 66) + 5);
}

TEST(ReferenceTimes, MemoryKnowsOpenRowsClosedOnesAndConflicts) {
  // Rows of four lines over two banks: line 1 is in line 0's row, line 8 in the next row of bank 0.
  const made_program code = made_program(1).run(0, {load(line(0)), load(line(1)), load(line(8))});
  const outcome ended = run_reference(one_chip(), code);
  EXPECT_EQ(ended.counts.cycles, 1105U + (9 + 39) + (9 + 93));
  EXPECT_EQ(ended.counts.row_closed, 1U);
  EXPECT_EQ(ended.counts.row_hits, 1U);
  EXPECT_EQ(ended.counts.row_conflicts, 1U);
}

TEST(ReferenceTimes, RowsThatAreClosedAfterEveryAccessAreNeverHit) {
  machine_config machine = one_chip();
  machine.memory.open_rows = false;
  EXPECT_EQ(end_of(machine, {load(line(0)), load(line(1)), load(line(8))}), 1105U + 75 + 75);
}

TEST(ReferenceTimes, RemoteMemoryCostsARequestAndALineOverTheLinks) {
  // Page 1 is on node 1, one link away, page 2 on node 2, two links away.
  const std::uint64_t first = 1 + 1 + 1030 + 7 + 40 + 66 + 44;
  EXPECT_EQ(end_of(ring_of_four(), {load(line(1, 0))}), first);
  const outcome ended =
      run_reference(ring_of_four(), made_program(1).run(0, {load(line(1, 0)), load(line(2, 0))}));
  EXPECT_EQ(ended.counts.cycles, first + 1 + 1 + 1030 + 7 + 80 + 66 + 84);
  EXPECT_EQ(ended.counts.remote_memory, 2U);
  EXPECT_EQ(ended.counts.stall_memory, 150U + 230);
  EXPECT_EQ(traffic_of(ended.counts, traffic::request), 8U * 3);
  EXPECT_EQ(traffic_of(ended.counts, traffic::data), 72U * 3);
}

TEST(ReferenceTimes, AModifiedLineComesFromItsOwnerInThreeHops) {
  // Home is node 2. Thread 0 on node 0 writes: 1 + 1 + 1030 + 7 + 80 + 66 + 84 = 1269.
  // Thread 2 on node 1 acquires at 1270 and reads: 1 + 1 + 30 + 7, request 1 → 2: 40, forward 2 →
  // 0: 80, the last level there: 5, data 0 → 1: 44.
  const outcome ended =
      run_reference(ring_of_four(), in_turn(3, {{0, store(line(2, 0))}, {2, load(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[0], 1269U);
  EXPECT_EQ(ended.ended_at[2], 1270U + 39 + 40 + 80 + 5 + 44);
  EXPECT_EQ(ended.counts.cache_to_cache, 1U);
  EXPECT_EQ(ended.counts.remote_memory, 1U);
  EXPECT_EQ(traffic_of(ended.counts, traffic::forward), 8U * 2);
}

TEST(ReferenceTimes, AnExclusiveLineComesFromItsOwnerInThreeHopsToo) {
  const outcome ended =
      run_reference(ring_of_four(), in_turn(3, {{0, load(line(2, 0))}, {2, load(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[2], 1270U + 39 + 40 + 80 + 5 + 44);
  EXPECT_EQ(ended.counts.cache_to_cache, 1U);
}

TEST(ReferenceTimes, AnUpgradeThatNobodyNoticesWaitsForTheHome) {
  // Home is node 2. Thread 0 reads until 1269; thread 2 until 1270 + 39 + 169 = 1478: both have S.
  // Thread 2 reads two more lines of the set in the last level (4 and 8), so line 0 leaves chip 1.
  // At 1479: 1 + 1 + 7, request 40, row of line 4 closed: 66, data 44: 1638. At 1639, the same with
  // another row open in bank 0: 1 + 1 + 7 + 40 + 93 + 44: 1825.
  // Thread 0 acquires at 1826 and writes: 1 + 1 + 7, request 80, acknowledgement 80.
  const outcome ended = run_reference(ring_of_four(), in_turn(3, {{0, load(line(2, 0))},
                                                                  {2, load(line(2, 0))},
                                                                  {2, load(line(2, 4))},
                                                                  {2, load(line(2, 8))},
                                                                  {0, store(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[2], 1825U);
  EXPECT_EQ(ended.ended_at[0], 1826U + 9 + 160);
  EXPECT_EQ(ended.counts.upgrades, 1U);
  EXPECT_EQ(ended.counts.invalidations, 0U);
  EXPECT_EQ(traffic_of(ended.counts, traffic::invalidation), 0U);
}

TEST(ReferenceTimes, AnUpgradeWithOneOtherSharerWaitsForItsAcknowledgement) {
  // As before, both chips have S at 1478. Thread 0 writes at 1479: 1 + 1 + 7, request 0 → 2: 80,
  // invalidation 2 → 1: 40, acknowledgement 1 → 0: 40.
  const outcome ended = run_reference(
      ring_of_four(),
      in_turn(3, {{0, load(line(2, 0))}, {2, load(line(2, 0))}, {0, store(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[0], 1479U + 9 + 160);
  EXPECT_EQ(ended.counts.upgrades, 1U);
  EXPECT_EQ(ended.counts.invalidations, 1U);
  EXPECT_EQ(traffic_of(ended.counts, traffic::invalidation), 8U * 2);
}

TEST(ReferenceTimes, AnUpgradeWithTwoOtherSharersWaitsForTheLastAcknowledgement) {
  // Thread 6 on node 3 reads, too. Chips 0 and 1 have S: memory of node 2 answers. It acquires at
  // 1479: 1 + 1 + 30 + 7, request 3 → 2: 40, open row 39, data 44: 1641.
  // Thread 0 writes at 1642: 1 + 1 + 7, request 80. Chip 1: 40 to it, 40 back. Chip 3: 40 to it, 40
  // back. Both at the same time: they use other links.
  const outcome ended = run_reference(ring_of_four(), in_turn(7, {{0, load(line(2, 0))},
                                                                  {2, load(line(2, 0))},
                                                                  {6, load(line(2, 0))},
                                                                  {0, store(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[6], 1479U + 39 + 40 + 39 + 44);
  EXPECT_EQ(ended.ended_at[0], 1642U + 9 + 80 + 80);
  EXPECT_EQ(ended.counts.invalidations, 2U);
  EXPECT_EQ(traffic_of(ended.counts, traffic::invalidation), 8U * 4);
}

TEST(ReferenceTimes, AWriteTakesTheLineFromItsOwnerWithoutAnAcknowledgement) {
  // Thread 2 writes what thread 0 has modified: the times of the read of a modified line.
  const outcome ended =
      run_reference(ring_of_four(), in_turn(3, {{0, store(line(2, 0))}, {2, store(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[2], 1270U + 39 + 169);
  EXPECT_EQ(ended.counts.cache_to_cache, 1U);
  EXPECT_EQ(ended.counts.invalidations, 1U);
  EXPECT_EQ(traffic_of(ended.counts, traffic::invalidation), 0U);
}

TEST(ReferenceTimes, AWriteFromAnOwnerWithSharersWaitsForDataAndAcknowledgements) {
  // Chip 0 has O, chip 1 has S at 1478. Thread 6 on node 3 writes at 1479: 39, request 3 → 2: 40.
  // Data: forward 2 → 3 → 0: 80, 5, data 0 → 3: 44 = 129. Chip 1: 40, back 1 → 2 → 3: 80 = 120.
  const outcome ended = run_reference(
      ring_of_four(),
      in_turn(7, {{0, store(line(2, 0))}, {2, load(line(2, 0))}, {6, store(line(2, 0))}}));
  EXPECT_EQ(ended.ended_at[6], 1479U + 39 + 40 + 129);
  EXPECT_EQ(ended.counts.invalidations, 2U);
  EXPECT_EQ(ended.counts.cache_to_cache, 2U);
}

TEST(ReferenceTimes, APageThatLeftTheTlbIsWalkedAgainWithoutAFault) {
  // Pages 0, 2 and 4 are in one set of two ways. Line 0 of page 0 stays in the caches: sets of the
  // lines 0, 33 and 66 are 0, 1 and 0 in the first level and 0, 1 and 2 in the last one.
  // 33 and 66 are in rows of their own: page 2 has frame 1, line 17 within the node: bank 0, row 2.
  // Page 4 has frame 2, line 34: bank 0, row 4. Both conflict.
  const outcome ended = run_reference(
      one_chip(),
      made_program(1).run(0, {load(line(0)), load(line(33)), load(line(66)), load(line(0))}));
  EXPECT_EQ(ended.counts.cycles, 1105U + 2 * (1 + 1 + 1030 + 7 + 93) + (1 + 1 + 30));
  EXPECT_EQ(ended.counts.tlb_misses, 4U);
  EXPECT_EQ(ended.counts.page_walks, 4U);
  EXPECT_EQ(ended.counts.page_faults, 3U);
  EXPECT_EQ(ended.counts.tlb_accesses, 4U);
}

TEST(ReferenceTimes, AHitInTheSecondTlbCostsItsLatency) {
  machine_config machine = one_chip();
  add_second_tlb(machine, 2);
  const outcome ended = run_reference(
      machine,
      made_program(1).run(0, {load(line(0)), load(line(33)), load(line(66)), load(line(0))}));
  EXPECT_EQ(ended.counts.cycles, 1105U + 2 * (1 + 1 + 1030 + 7 + 93) + (1 + 1 + 8));
  EXPECT_EQ(ended.counts.tlb_misses, 4U);
  EXPECT_EQ(ended.counts.page_walks, 3U);
  EXPECT_EQ(ended.counts.stall_tlb, 3U * 30 + 8);
}

TEST(ReferenceTimes, TheNeighboursWritableCopyCostsAFirstLevelLatencyMore) {
  // Thread 1, same chip, reads at 1106 what thread 0 wrote: 1 + 1 + 30 + 7 + 2.
  const outcome ended =
      run_reference(one_chip(), in_turn(2, {{0, store(line(0))}, {1, load(line(0))}}));
  EXPECT_EQ(ended.ended_at[1], 1106U + 41);
  // It was only read: nothing more.
  const outcome clean =
      run_reference(one_chip(), in_turn(2, {{0, load(line(0))}, {1, load(line(0))}}));
  EXPECT_EQ(clean.ended_at[1], 1106U + 39);
}

TEST(ReferenceTimes, TheFirstWriteToACleanLineAsksTheLastLevelAlone) {
  const outcome ended = run_reference(
      one_chip(), made_program(1).run(0, {load(line(0)), store(line(0)), store(line(0))}));
  EXPECT_EQ(ended.counts.cycles, 1105U + 9 + 2);
  EXPECT_EQ(ended.counts.upgrades, 0U);
  EXPECT_EQ(ended.counts.caches[0].misses, 2U);
  EXPECT_EQ(ended.counts.caches[1].misses, 1U);
}

TEST(ReferenceTimes, AnAccessOfTwoLinesHandlesThemOneAfterTheOther) {
  // Both lines: access stall, lookup; the second one: TLB hit, open row. One instruction.
  EXPECT_EQ(end_of(one_chip(), {load(line(0) + 60, 8)}), 1105U + 1 + 7 + 39);
}

TEST(ReferenceTimes, InstructionsWithoutAccessesTakeACycleEach) {
  // 3 accesses, 11 instructions: they issue after 0, 3 and 7 of them; all but the first are hits.
  made_program code(1);
  code.run(0, {load(line(0)), load(line(0)), load(line(0))}, 11);
  EXPECT_EQ(run_reference(one_chip(), code).counts.cycles, 11U + 1104 + 1 + 1);
}

TEST(ReferenceTimes, ABankServesOneLineAfterTheOther) {
  // Pages 0 and 4 are on node 0, frames 0 and 1. Both threads leave at 0 + 1 + 1030 + 7 = 1038.
  // Thread 0: bank 0, row 0, closed: 1038 to 1092; bus to 1104.
  // Thread 1: line 16 of the node, bank 0, row 2: from 1092, conflict: 1173; bus to 1185.
  made_program code(2);
  code.run(0, {load(line(0, 0))}).run(1, {load(line(4, 0))});
  const outcome ended = run_reference(ring_of_four(), code);
  EXPECT_EQ(ended.ended_at[0], 1105U);
  EXPECT_EQ(ended.ended_at[1], 1186U);
  EXPECT_EQ(ended.counts.stall_queues, 54U);
  EXPECT_EQ(ended.counts.stall_memory, 66U + 93);
}

TEST(ReferenceTimes, ABusCarriesOneLineAfterTheOther) {
  // As before, but line 20 of the node: bank 1, closed, 1038 to 1092; the bus is free from 1104 on.
  made_program code(2);
  code.run(0, {load(line(0, 0))}).run(1, {load(line(4, 4))});
  const outcome ended = run_reference(ring_of_four(), code);
  EXPECT_EQ(ended.ended_at[0], 1105U);
  EXPECT_EQ(ended.ended_at[1], 1117U);
  EXPECT_EQ(ended.counts.stall_queues, 12U);
}

TEST(ReferenceTimes, ALinkCarriesOneMessageAfterTheOther) {
  // Pages 1 and 5 are on node 1. The requests enter the link at 1038 and 1039 and arrive at 1078
  // and 1079. Banks 0 and 1, closed: 1132 and 1133; with a burst of 1 the bus is no obstacle: 1133
  // and 1134. Thread 0's line is on the link from 1133 to 1138 and there at 1177. Thread 1's line
  // enters at 1138 and is there at 1182; nobody else there, it would be 1038 + 40 + 54 + 1 + 44 =
  // 1177.
  machine_config machine = ring_of_four();
  machine.memory.burst = 1;
  made_program code(2);
  code.run(0, {load(line(1, 0))}).run(1, {load(line(5, 4))});
  const outcome ended = run_reference(machine, code);
  EXPECT_EQ(ended.ended_at[0], 1178U);
  EXPECT_EQ(ended.ended_at[1], 1183U);
  EXPECT_EQ(ended.counts.stall_queues, 5U);
  EXPECT_EQ(ended.counts.stall_memory, 139U * 2);
}

TEST(ReferenceTimes, WithoutQueueingNobodyWaitsForLinksAndMemory) {
  machine_config machine = ring_of_four();
  machine.network.queueing = false;
  machine.memory.queueing = false;
  made_program code(2);
  code.run(0, {load(line(1, 0))}).run(1, {load(line(5, 0))});
  const outcome ended = run_reference(machine, code);
  // The row that the first one opened is a conflict for the second one all the same.
  EXPECT_EQ(ended.ended_at[0], 1039U + 40 + 66 + 44);
  EXPECT_EQ(ended.ended_at[1], 1039U + 40 + 93 + 44);
  EXPECT_EQ(ended.counts.stall_queues, 0U);
}

TEST(ReferenceTimes, ACleanLineThatLeavesTheChipTellsItsHome) {
  // Lines 0, 4 and 8 of page 1 are in one set of two ways of the last level.
  made_program code(1);
  code.run(0, {load(line(1, 0)), load(line(1, 4)), load(line(1, 8))});
  const outcome ended = run_reference(ring_of_four(), code);
  EXPECT_EQ(ended.counts.cycles, 1189U + (9 + 150) + (9 + 40 + 93 + 44));
  EXPECT_EQ(traffic_of(ended.counts, traffic::write_back), 8U);
  EXPECT_EQ(ended.counts.write_backs, 0U);
  EXPECT_EQ(ended.counts.row_closed + ended.counts.row_conflicts, 3U);
  EXPECT_EQ(ended.states.at(16)[0], ref::chip_state::invalid);
}

TEST(ReferenceTimes, AModifiedLineThatLeavesTheChipIsWrittenToMemory) {
  // As before until 1189 + 159 = 1348; line 8 leaves at 1348 + 8 = 1356: request on the link at
  // 1356, memory from 1396, conflict (row 0 to row 1): 1477, burst to 1489, data 44: 1533. Line 0
  // follows the request at 1357, arrives at 1401; the bank is free at 1477: conflict (row 1 to row
  // 0), 1558. One cycle of instruction: 1534. Line 12 of the page (bank 1, row 1) next: leaves at
  // 1542; in the chip's set 4 was the least recently used and is clean. Memory from 1582, conflict:
  // 1663, 1675, 1719: the bus is free again since 1570. Line 0 once more: its row is the open one
  // in bank 0. 1720 + 8 = 1728; 1768, open: 1795, 1807, 1851. Line 8 is the third line that leaves;
  // it is clean.
  made_program code(1);
  code.run(0, {store(line(1, 0)), load(line(1, 4)), load(line(1, 8)), load(line(1, 12)),
               load(line(1, 0))});
  const outcome ended = run_reference(ring_of_four(), code);
  EXPECT_EQ(ended.counts.cycles, 1852U);
  EXPECT_EQ(ended.counts.write_backs, 1U);
  EXPECT_EQ(traffic_of(ended.counts, traffic::write_back), 72U + 8 + 8);
  EXPECT_EQ(ended.counts.row_hits, 1U);
  EXPECT_EQ(ended.counts.row_closed, 2U);
  EXPECT_EQ(ended.counts.row_conflicts, 3U);
}

TEST(ReferenceTimes, WhatLeavesTheLastLevelLeavesTheFirstLevelToo) {
  // 0, 4, 0 (hit: the last level does not see it), 8 drops 0 from both levels; 4 is still in the
  // first level; 0 comes from memory again.
  made_program code(1);
  code.run(0, {load(line(0)), load(line(4)), load(line(0)), load(line(8)), load(line(4)),
               load(line(0))});
  const outcome ended = run_reference(one_chip(), code);
  // 1105; closed; hit; conflict; hit; conflict.
  EXPECT_EQ(ended.counts.cycles, 1105U + 75 + 2 + (9 + 93) + 2 + (9 + 93));
  EXPECT_EQ(ended.counts.caches[0].misses, 4U);
  EXPECT_EQ(ended.counts.caches[1].misses, 4U);
}

TEST(ReferenceTimes, WhatLeavesAnInclusiveMiddleLevelLeavesTheFirstLevelToo) {
  // The first level with four sets of two ways, the middle one with two sets of three: lines 0, 2,
  // 4 and 6 are in one set there, and in two sets above. 6 drops 0 from the middle level.
  for (const bool inclusive : {true, false}) {
    machine_config machine = one_chip();
    machine.caches[0].bytes = 512;
    machine.caches.back().bytes = 4096;
    add_middle_level(machine, 1, inclusive);
    made_program code(1);
    code.run(0, {load(line(0)), load(line(2)), load(line(4)), load(line(6)), load(line(0))});
    const outcome ended = run_reference(machine, code);
    EXPECT_EQ(ended.counts.caches[0].misses, inclusive ? 5U : 4U);
    EXPECT_EQ(ended.counts.caches[2].misses, 4U);
    // Closed, open row, closed in bank 1, open row; then the last level (12) or the first (2).
    EXPECT_EQ(ended.counts.cycles,
              1108U + (12 + 39) + (12 + 66) + (12 + 39) + (inclusive ? 12 : 2));
  }
}

TEST(ReferenceTimes, AnAcquireWaitsForTheReleaseAndOneCycleMore) {
  // The release is at 1105.
  made_program code(2);
  code.run(0, {load(line(0))}).release(0, 7);
  code.acquire(1, 7).run(1, {load(line(0))});
  const outcome ended = run_reference(one_chip(), code);
  EXPECT_EQ(ended.ended_at[1], 1106U + 39);
  EXPECT_EQ(ended.counts.running_cycles, 1105U + 39) << "waiting is not running";
}

TEST(ReferenceTimes, FirstTouchPutsAPageWhereItsFirstUserIs) {
  const outcome ended = run_reference(
      ring_of_four(), in_turn(5, {{4, load(line(0))}, {0, load(line(1))}}), placing::first_touch);
  EXPECT_EQ(ended.homes_of_lines.at(0).node, 2U);
  EXPECT_EQ(ended.counts.local_memory, 1U);
  EXPECT_EQ(ended.counts.remote_memory, 1U);
}

TEST(ReferenceTimes, ThreadsThatWaitForEachOtherAreAnError) {
  made_program code(2);
  code.acquire(0, 1).release(1, 2);  // nobody waits yet
  EXPECT_EQ(run_reference(one_chip(), code).counts.cycles, 0U);

  class locked : public made_program {
   public:
    using made_program::made_program;
    result<std::vector<program::release>> releases() const override {
      return std::vector<program::release>{{1, 0}};  // of a thread that never comes to it
    }
  };
  locked never(1);
  never.acquire(0, 1);
  ref::machine machine(one_chip(), placing::interleave);
  EXPECT_FALSE(machine.run(never, {0}).has_value());
}

TEST(ReferenceCalendar, AnEarlierGapThatIsLongEnoughIsUsed) {
  ref::calendar busy;
  EXPECT_EQ(busy.reserve(100, 10), 100U);
  EXPECT_EQ(busy.reserve(120, 10), 120U);
  EXPECT_EQ(busy.reserve(95, 10), 110U) << "5 cycles before 100 are too short, 110 to 120 is right";
  EXPECT_EQ(busy.reserve(95, 10), 130U);
  EXPECT_EQ(busy.reserve(95, 5), 95U);
  EXPECT_EQ(busy.reserve(97, 1), 140U);
}

}  // namespace
}  // namespace numatch::sim
