// SPDX-License-Identifier: Apache-2.0
// A policy and the pages of a mapping, as Linux treats them: mmap(2) MAP_FIXED, mremap(2),
// mbind(2).
#include <gtest/gtest.h>

#include <vector>

#include "sim/engine_run.hpp"
#include "sim/made_program.hpp"
#include "trace/event.hpp"

namespace numatch::sim {
namespace {

using trace::event_kind;

constexpr std::uint64_t page_bytes = 1024;
constexpr std::uint64_t here = 0x100000;
constexpr std::uint64_t there = 0x200000;
constexpr std::uint64_t bind = 2;
constexpr std::uint64_t node_1 = 0b10;

/// Its one thread runs on node 0.
run_result play(const program& code, std::uint64_t machine_page = page_bytes) {
  named_machine machine{"two nodes", {2, 1, 2, 1}, small_machine({2, 1, 2, 1})};
  machine.config.network.queueing = false;
  machine.config.memory.queueing = false;
  machine.config.page_bytes = machine_page;
  return run_engine(machine, code, {plain_options(page_placing::first_touch, 100)}).front();
}

/// One line of each page, then a while nothing, so that what follows is another phase.
void touch(made_program& code, std::uint64_t first, unsigned pages) {
  std::vector<trace::access> once;
  for (unsigned page = 0; page < pages; ++page) once.push_back(load(first + page * page_bytes));
  code.run(0, once, 1000 * pages);
}

/// What has not been in a cache before.
void touch_another_line(made_program& code, std::uint64_t first, unsigned pages) {
  touch(code, first + 64, pages);
}

TEST(Mappings, AMappingPutOverABoundOneHasNoPolicy) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 4 * page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::map, {here + page_bytes, 2 * page_bytes, 3, 0x32});
  touch(code, here, 4);
  const run_result ended = play(code);
  EXPECT_EQ(ended.remote_memory, 2U);  // the first and the last page
  EXPECT_EQ(ended.local_memory, 2U);
}

TEST(Mappings, AMappingPutOverPagesInUseStartsAnew) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 2 * page_bytes, bind, node_1, 0});
  touch(code, here, 2);
  code.tell(0, event_kind::map, {here, page_bytes, 3, 0x32});
  touch(code, here + page_bytes, 1);  // until the phase ends, the TLB has the old pages
  touch(code, here, 2);
  const run_result ended = play(code);
  EXPECT_EQ(ended.page_faults, 3U);
  EXPECT_EQ(ended.remote_memory, 2U);
  EXPECT_EQ(ended.local_memory, 1U);  // the new page; the other one's line is in the cache
}

TEST(Mappings, ALengthThatEndsInsideAPageMeansAllOfIt) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 2 * page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::map, {here, page_bytes + 1, 3, 0x32});
  touch(code, here, 2);
  EXPECT_EQ(play(code).remote_memory, 0U);
}

TEST(Mappings, AMappingInsideALargerPageLeavesThatToItsNeighbours) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {0, std::uint64_t{1} << 21, bind, node_1, 0});
  code.tell(0, event_kind::map, {here, 4096, 3, 0x32});
  code.run(0, {load(here), load(here + 4096)});
  const run_result ended = play(code, std::uint64_t{1} << 21);
  EXPECT_EQ(ended.page_faults, 1U);
  EXPECT_EQ(ended.remote_memory, 2U);
}

TEST(Mappings, AMappingThatMovesTakesItsPolicyAlong) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 2 * page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::remap, {here, 2 * page_bytes, there, 2 * page_bytes});
  touch(code, there, 3);
  touch(code, here, 2);
  const run_result ended = play(code);
  EXPECT_EQ(ended.remote_memory, 2U);
  EXPECT_EQ(ended.local_memory, 3U);  // behind it, and where it was
}

TEST(Mappings, AMappingThatMovesKeepsItsPagesWhereTheyAre) {
  made_program code(1);
  code.tell(0, event_kind::memory_policy, {bind, node_1});
  touch(code, here, 2);
  code.tell(0, event_kind::memory_policy, {0, 0});
  code.tell(0, event_kind::remap, {here, 2 * page_bytes, there, 3 * page_bytes});
  touch_another_line(code, there, 3);
  touch_another_line(code, here, 1);
  const run_result ended = play(code);
  EXPECT_EQ(ended.page_faults, 2U + 1 + 1);  // two before; the third page, and the old place's
  EXPECT_EQ(ended.remote_memory, 2U + 2);
  EXPECT_EQ(ended.local_memory, 1U + 1);
}

TEST(Mappings, AMappingThatGrowsHasItsPolicyInItsNewPart) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 2 * page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::remap, {here, 2 * page_bytes, here, 4 * page_bytes});
  touch(code, here, 5);
  const run_result ended = play(code);
  EXPECT_EQ(ended.remote_memory, 4U);
  EXPECT_EQ(ended.local_memory, 1U);
}

TEST(Mappings, AMappingThatMovesAndGrowsHasItsPolicyEverywhere) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 2 * page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::remap, {here, 2 * page_bytes, there, 4 * page_bytes});
  touch(code, there, 5);
  const run_result ended = play(code);
  EXPECT_EQ(ended.remote_memory, 4U);
  EXPECT_EQ(ended.local_memory, 1U);
}

TEST(Mappings, AMappingThatShrinksGivesTheRestBack) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 4 * page_bytes, bind, node_1, 0});
  touch(code, here, 4);
  code.tell(0, event_kind::remap, {here, 4 * page_bytes, here, page_bytes});
  touch_another_line(code, here, 4);
  const run_result ended = play(code);
  EXPECT_EQ(ended.page_faults, 4U + 3);
  EXPECT_EQ(ended.remote_memory, 4U + 1);
  EXPECT_EQ(ended.local_memory, 3U);
}

TEST(Mappings, WhatLayWhereAMappingMovesToIsGoneWithItsPolicy) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {there, 2 * page_bytes, bind, node_1, 0});
  touch(code, there, 2);
  touch(code, here, 1);
  code.tell(0, event_kind::remap, {here, 2 * page_bytes, there, 2 * page_bytes});
  touch_another_line(code, there, 2);
  const run_result ended = play(code);
  EXPECT_EQ(ended.page_faults, 2U + 1 + 1);
  EXPECT_EQ(ended.remote_memory, 2U);
  EXPECT_EQ(ended.local_memory, 1U + 2);
}

TEST(Mappings, ASecondPlaceOfTheSameMemoryHasTheSamePolicy) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here, 2 * page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::remap, {here, 0, there, 2 * page_bytes});
  touch(code, here, 2);
  touch(code, there, 2);
  EXPECT_EQ(play(code).remote_memory, 4U);
}

TEST(Mappings, PoliciesOfPartsMoveWithTheirParts) {
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {here + page_bytes, page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::bind_memory, {here + 3 * page_bytes, page_bytes, bind, node_1, 0});
  code.tell(0, event_kind::remap, {here, 4 * page_bytes, there, 3 * page_bytes});
  touch(code, there, 5);
  const run_result ended = play(code);
  EXPECT_EQ(ended.remote_memory, 1U);
  EXPECT_EQ(ended.local_memory, 4U);
}

TEST(Mappings, InsideALargerPageNothingMovesButThePolicyDoes) {
  constexpr std::uint64_t large = std::uint64_t{1} << 21;
  made_program code(1);
  code.tell(0, event_kind::bind_memory, {large, large, bind, node_1, 0});
  code.run(0, {load(large)}, 5000);
  code.tell(0, event_kind::remap, {large, large, 4 * large + 4096, large});
  code.run(0, {load(4 * large + 4096)}, 5000);
  const run_result ended = play(code, large);
  EXPECT_EQ(ended.page_faults, 2U);
  EXPECT_EQ(ended.remote_memory, 2U);
}

}  // namespace
}  // namespace numatch::sim
