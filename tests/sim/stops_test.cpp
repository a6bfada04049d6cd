// SPDX-License-Identifier: Apache-2.0
// Chips that have stops: exact cycles, worked out by hand, of the engine and of the reference. The
// stops of a chip of two cores are 0 and 1 for them, 2 and 3 for the banks and 4 for the gate, in a
// ring of one cycle per hop; of two ways the shorter one. So a message takes
//   core 0 - bank 0: 2, core 0 - bank 1: 2 (over the gate), core 1 - bank 0: 1, core 1 - bank 1: 2,
//   bank 0 - gate: 2, bank 1 - gate: 1
// and a line (72 bytes) at 64 bytes per cycle one cycle more. A lookup takes 5 cycles. The other
// numbers are those of reference_times_test.cpp.
#include <gtest/gtest.h>

#include "sim/engine_run.hpp"
#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

named_machine with_stops(machine_shape shape, double bytes_per_cycle = 64) {
  named_machine made{"stops", shape, small_machine(shape)};
  add_stops(made.config, 2, bytes_per_cycle);
  return made;
}
named_machine one_chip() {
  return with_stops({1, 1, 2, 1});
}

/// What the reference gives, when the engine gives the same.
ref::outcome run_both(const named_machine& machine, const program& code) {
  const ref::outcome expected = run_reference(machine.config, code);
  const std::vector<run_result> given =
      run_engine(machine, code, {plain_options(page_placing::interleave, 1)});
  EXPECT_EQ(differences(expected.counts, given.at(0)), "");
  return expected;
}

TEST(Stops, AMissGoesFromTheCoreToItsBankAndTheGateAndBackTheSameWay) {
  // Line 0: 1 + 1 + 1030; core to bank 2, lookup 5, bank to gate 2, memory 66, back 3 and 3.
  const ref::outcome even = run_both(one_chip(), made_program(1).run(0, {load(line(0))}));
  EXPECT_EQ(even.counts.cycles, 1032U + 2 + 5 + 2 + 66 + 3 + 3);
  EXPECT_EQ(even.counts.stall_caches, 1U + 2 + 5 + 3) << "what a hit would take, and access_stall";
  EXPECT_EQ(even.counts.stall_memory, 2U + 66 + 3);
  EXPECT_EQ(even.counts.stall_queues, 0U);
  EXPECT_EQ(even.counts.inside_bytes, 8U * (2 + 2) + 72U * (2 + 2));
  // Line 1 is in bank 1: the gate is one hop from it.
  const ref::outcome odd = run_both(one_chip(), made_program(1).run(0, {load(line(1))}));
  EXPECT_EQ(odd.counts.cycles, 1032U + 2 + 5 + 1 + 66 + 2 + 3);
  EXPECT_EQ(odd.counts.inside_bytes, 8U * (2 + 1) + 72U * (1 + 2));
}

TEST(Stops, AHitGoesToTheBankAndBack) {
  // Lines 0, 2 and 4 are in one set of two ways of the first level: 0 again is found in the last.
  const ref::outcome ended = run_both(
      one_chip(),
      made_program(1).run(0, {load(line(0)), load(line(2)), load(line(4)), load(line(0))}));
  // Closed row; row open; row of the other bank of memory closed; the hit.
  EXPECT_EQ(ended.counts.cycles, 1113U + (2 + 15 + 39) + (2 + 15 + 66) + (2 + 2 + 5 + 3));
}

TEST(Stops, AWriteThatNeedsNoDataIsAnsweredByAControlMessage) {
  // The chip has the line exclusively after the read: 1 + 1; 2, 5, 2.
  const ref::outcome ended =
      run_both(one_chip(), made_program(1).run(0, {load(line(0)), store(line(0))}));
  EXPECT_EQ(ended.counts.cycles, 1113U + 2 + 9);
}

TEST(Stops, ABankServesOneLookupAfterTheOther) {
  // Both leave their cores at 1031. Thread 0's request enters the links 0-1 at 1031 and 1-2 at 1032
  // and is looked up from 1033 to 1038. Thread 1's enters 1-2 at 1031 and is there at 1032; the
  // bank has no five free cycles before 1033: it is looked up from 1038 to 1043, six cycles late.
  // With a burst of 1 and rows in different banks of memory nothing else is in the way: from the
  // bank 2, memory 55, back 3, and 3 to core 0 or 2 to core 1.
  named_machine machine = one_chip();
  machine.config.memory.burst = 1;
  made_program code(2);
  code.run(0, {load(line(0, 0))}).run(1, {load(line(1, 4))});
  const ref::outcome ended = run_both(machine, code);
  EXPECT_EQ(ended.ended_at[0], 1038U + 2 + 55 + 3 + 3 + 1);
  EXPECT_EQ(ended.ended_at[1], 1043U + 2 + 55 + 3 + 2 + 1);
  EXPECT_EQ(ended.counts.stall_queues, 6U);
}

TEST(Stops, LookupsOfDifferentBanksDoNotWaitForEachOther) {
  // As before, but line 5 of page 1 is in bank 1. A line crosses a link in one cycle, so that
  // nobody waits for links either.
  named_machine machine = with_stops({1, 1, 2, 1}, 128);
  machine.config.memory.burst = 1;
  made_program code(2);
  code.run(0, {load(line(0, 0))}).run(1, {load(line(1, 5))});
  EXPECT_EQ(run_both(machine, code).counts.stall_queues, 0U);
}

TEST(Stops, ABankThatIsBusyForShorterThanALookupTakesTheNextOneSooner) {
  // Thread 0's lookup occupies the bank at 1033 only, thread 1's at 1032.
  named_machine machine = with_stops({1, 1, 2, 1}, 128);
  machine.config.memory.burst = 1;
  machine.config.inside.bank_busy = 1;
  made_program code(2);
  code.run(0, {load(line(0, 0))}).run(1, {load(line(1, 4))});
  const ref::outcome ended = run_both(machine, code);
  EXPECT_EQ(ended.ended_at[1], 1037U + 2 + 55 + 2 + 1 + 1);
  EXPECT_EQ(ended.counts.stall_queues, 0U);
}

TEST(Stops, ALinkInsideAChipCarriesOneLineAfterTheOther) {
  // At 8 bytes per cycle a line takes 9 cycles of a link: 8 more behind its first byte.
  // Thread 0 reads line 1: leaves at 1031, bank 1 at 1033 to 1038, gate 1039, memory 1105, bank
  // 1114, core 1124; its instruction: 1125. Thread 1 acquires at 1126, walks and leaves at 1157:
  // bank 0 at 1158 to 1163, gate 1165, row open 1204, bank 1214, core 1223; 1224.
  // Both go on at 1225 and leave their cores at 1226 for what the other one has read. Both are
  // looked up until 1233. Thread 0's line is on the link 2-1 from 1233 to 1242 and at its core at
  // 1243. Thread 1's line crosses 3-2 and could be on 2-1 from 1234 on, but has to wait until
  // 1242: it is there at 1251.
  made_program code = in_turn(2, {{0, load(line(1))}, {1, load(line(0))}});
  code.acquire(0, 1).run(0, {load(line(0))});
  code.acquire(1, 1).run(1, {load(line(1))});
  const ref::outcome ended = run_both(with_stops({1, 1, 2, 1}, 8), code);
  EXPECT_EQ(ended.ended_at[0], 1243U + 1);
  EXPECT_EQ(ended.ended_at[1], 1251U + 1);
  EXPECT_EQ(ended.counts.stall_queues, 8U);
}

TEST(Stops, WithoutQueueingNeitherLinksNorBanksAreWaitedFor) {
  named_machine machine = with_stops({1, 1, 4, 1}, 2);
  machine.config.network.queueing = false;
  for (chip_config& chip : machine.config.inside.chips) chip.ways.queueing = false;
  machine.config.memory.queueing = false;
  made_program code(4);
  for (unsigned thread = 0; thread < 4; ++thread) code.run(thread, {load(line(thread, 0))});
  EXPECT_EQ(run_both(machine, code).counts.stall_queues, 0U);
}

// Two chips of one core: the core is stop 0, the banks 1 and 2, the gate 3. Core to bank 0: 1, bank
// 0 to the gate: 2.

TEST(Stops, ALineOfAnotherChipIsLookedUpInItsBankThere) {
  // Thread 0 has modified the line at 1032 + 1 + 5 + 2 + 66 + 3 + 2 = 1111. Thread 1, on the other
  // chip, acquires at 1112 and leaves its core at 1112 + 31: bank 1, lookup 5, gate 2, link 40;
  // there bank 2, lookup 5, gate 3; link 44, bank 3, core 2.
  const ref::outcome ended = run_both(with_stops({2, 1, 1, 1}),
                                      in_turn(2, {{0, store(line(0, 0))}, {1, load(line(0, 0))}}));
  EXPECT_EQ(ended.ended_at[0], 1111U);
  EXPECT_EQ(ended.ended_at[1], 1143U + (1 + 5 + 2) + 40 + (2 + 5 + 3) + 44 + (3 + 2) + 1);
  EXPECT_EQ(ended.counts.cache_to_cache, 1U);
}

TEST(Stops, AnUpgradeTellsTheOtherChipsBank) {
  // Both chips have the line at 1251; thread 0 has a copy that it may not write. It leaves its core
  // at 1253: 1, 5, 2; the home is its own node; link 40, there 2 and 2, link 40; 2, 1.
  const ref::outcome ended =
      run_both(with_stops({2, 1, 1, 1}),
               in_turn(2, {{0, store(line(0, 0))}, {1, load(line(0, 0))}, {0, store(line(0, 0))}}));
  EXPECT_EQ(ended.ended_at[0], 1253U + (1 + 5 + 2) + 40 + (2 + 2) + 40 + (2 + 1) + 1);
  EXPECT_EQ(ended.counts.upgrades, 1U);
  EXPECT_EQ(ended.counts.invalidations, 1U);
}

TEST(Stops, WhatLeavesTheChipGoesFromItsBankToTheGate) {
  // Lines 0, 4 and 8 of page 1 are in one set of two ways of the last level and in bank 0. Each
  // read: 8 × 3 + 72 × 3 bytes × hops inside. The third one drops line 0: when it was modified its
  // data go two hops to the gate, else a notice does.
  const auto inside_bytes = [](const trace::access& first) {
    made_program code(1);
    code.run(0, {first, load(line(1, 4)), load(line(1, 8))});
    return run_both(with_stops({2, 1, 1, 1}), code).counts.inside_bytes;
  };
  EXPECT_EQ(inside_bytes(store(line(1, 0))), 3U * (8 * 3 + 72 * 3) + 72 * 2);
  EXPECT_EQ(inside_bytes(load(line(1, 0))), 3U * (8 * 3 + 72 * 3) + 8 * 2);
}

TEST(Stops, OverlappingMissesAreLookedUpWithoutWaitingForEachOther) {
  // One after the other: 1113; then 2, to the bank 2, lookup 5, gate 1, row open 39, bank 2,
  // core 3.
  named_machine machine = one_chip();
  const made_program code = made_program(1).run(0, {load(line(0)), load(line(1))});
  EXPECT_EQ(run_both(machine, code).counts.cycles, 1113U + 2 + 2 + 5 + 1 + 39 + 2 + 3);
  // Together: line 1 follows line 0 out of the core two cycles behind it, at 1033, and is looked up
  // in its own bank meanwhile. Its row is served when line 0's has been, at 1094, for 27 cycles and
  // 12 on the bus; bank 2, core 3. Its instruction ends a cycle later.
  machine.config.core.overlap = 2;
  machine.config.core.overlap_window = 10;
  const run_result ended =
      run_engine(machine, code, {plain_options(page_placing::interleave, 20'000)}).at(0);
  EXPECT_EQ(ended.cycles, 1094U + 27 + 12 + 2 + 3 + 1);
}

TEST(Stops, BytesInsideChipsCostTheirEnergy) {
  named_machine machine = one_chip();
  machine.config.energy = {};
  machine.config.energy.inside_byte = 2;
  const run_result ended = run_engine(machine, made_program(1).run(0, {load(line(0))}),
                                      {plain_options(page_placing::interleave, 1)})
                               .at(0);
  EXPECT_DOUBLE_EQ(ended.dynamic_energy.links, 320 * 2e-9);
}

}  // namespace
}  // namespace numatch::sim
