// SPDX-License-Identifier: Apache-2.0
// Every transition of the chips' states (MOESI): the state of the requester's chip and of another
// chip, a read or a write, and what both have afterwards. A third chip helps to get there.
#include <gtest/gtest.h>

#include <string>

#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

using ref::chip_state;
using ref::outcome;

// Threads, each on a chip and node of its own. The line's home is a fourth node.
constexpr unsigned requester = 0;
constexpr unsigned other = 1;
constexpr unsigned helper = 2;
constexpr std::uint64_t page = 3;

enum class source { own_chip, memory, other_chip, permission };

struct transition {
  std::string before;  ///< states of requester and other
  std::vector<step> way_there;
  bool write = false;
  std::string after;
  source answered = source::memory;
  unsigned invalidations = 0;
};

step reads(unsigned thread) {
  return {thread, load(line(page, 0))};
}
step writes(unsigned thread) {
  return {thread, store(line(page, 0))};
}

/// The thread's chip loses the line: two others of its set in the last level are read.
std::vector<step> and_drops(std::vector<step> before, unsigned thread) {
  before.push_back({thread, load(line(page, 4))});
  before.push_back({thread, load(line(page, 8))});
  return before;
}

std::vector<transition> all_transitions() {
  const std::vector<step> nothing;
  const std::vector<step> i_s = and_drops({reads(other), reads(helper)}, helper);
  const std::vector<step> i_o = and_drops({writes(other), reads(helper)}, helper);
  const std::vector<step> s_i = and_drops({reads(requester), reads(other)}, other);
  const std::vector<step> o_i = and_drops({writes(requester), reads(other)}, other);
  return {
      {"II", nothing, false, "EI", source::memory, 0},
      {"II", nothing, true, "MI", source::memory, 0},
      {"IS", i_s, false, "SS", source::memory, 0},
      {"IS", i_s, true, "MI", source::memory, 1},
      {"IE", {reads(other)}, false, "SS", source::other_chip, 0},
      {"IE", {reads(other)}, true, "MI", source::other_chip, 1},
      {"IO", i_o, false, "SO", source::other_chip, 0},
      {"IO", i_o, true, "MI", source::other_chip, 1},
      {"IM", {writes(other)}, false, "SO", source::other_chip, 0},
      {"IM", {writes(other)}, true, "MI", source::other_chip, 1},
      {"SI", s_i, false, "SI", source::own_chip, 0},
      {"SI", s_i, true, "MI", source::permission, 0},
      {"SS", {reads(other), reads(requester)}, false, "SS", source::own_chip, 0},
      {"SS", {reads(other), reads(requester)}, true, "MI", source::permission, 1},
      {"SO", {writes(other), reads(requester)}, false, "SO", source::own_chip, 0},
      {"SO", {writes(other), reads(requester)}, true, "MI", source::permission, 1},
      {"EI", {reads(requester)}, false, "EI", source::own_chip, 0},
      {"EI", {reads(requester)}, true, "MI", source::own_chip, 0},
      {"OI", o_i, false, "OI", source::own_chip, 0},
      {"OI", o_i, true, "MI", source::permission, 0},
      {"OS", {writes(requester), reads(other)}, false, "OS", source::own_chip, 0},
      {"OS", {writes(requester), reads(other)}, true, "MI", source::permission, 1},
      {"MI", {writes(requester)}, false, "MI", source::own_chip, 0},
      {"MI", {writes(requester)}, true, "MI", source::own_chip, 0},
  };
}

std::string states_of(const outcome& ended) {
  const auto found = ended.states.find(page * page_bytes / line_bytes);
  if (found == ended.states.end()) return "II";
  EXPECT_EQ(found->second[helper], chip_state::invalid);
  const std::string letters = "ISEOM";
  return {letters[static_cast<std::size_t>(found->second[requester])],
          letters[static_cast<std::size_t>(found->second[other])]};
}

machine_config four_chips() {
  return small_machine({4, 1, 1, 1});
}

TEST(ReferenceStates, EveryTransitionIsThatOfTheTable) {
  for (const transition& t : all_transitions()) {
    SCOPED_TRACE(t.before + (t.write ? ", write" : ", read"));
    const outcome before = run_reference(four_chips(), in_turn(3, t.way_there));
    EXPECT_EQ(states_of(before), t.before);

    std::vector<step> steps = t.way_there;
    steps.push_back(t.write ? writes(requester) : reads(requester));
    const outcome after = run_reference(four_chips(), in_turn(3, steps));
    EXPECT_EQ(states_of(after), t.after);

    const run_result& a = before.counts;
    const run_result& b = after.counts;
    EXPECT_EQ(b.remote_memory - a.remote_memory, t.answered == source::memory ? 1U : 0U);
    EXPECT_EQ(b.cache_to_cache - a.cache_to_cache, t.answered == source::other_chip ? 1U : 0U);
    EXPECT_EQ(b.upgrades - a.upgrades, t.answered == source::permission ? 1U : 0U);
    EXPECT_EQ(b.caches.back().misses - a.caches.back().misses,
              t.answered == source::own_chip ? 0U : 1U);
    EXPECT_EQ(b.invalidations - a.invalidations, t.invalidations);
    EXPECT_EQ(b.local_memory, 0U);
  }
}

TEST(ReferenceStates, AWriteTakesTheLineFromAllSharers) {
  const outcome ended =
      run_reference(four_chips(), in_turn(4, {writes(1), reads(2), reads(3), writes(0)}));
  const std::vector<chip_state>& states = ended.states.at(page * page_bytes / line_bytes);
  EXPECT_EQ(states, (std::vector<chip_state>{chip_state::modified, chip_state::invalid,
                                             chip_state::invalid, chip_state::invalid}));
  EXPECT_EQ(ended.counts.invalidations, 3U);
}

TEST(ReferenceStates, TheOwnerThatKeepsALineLosesThePermissionToWrite) {
  // After the read by chip 1, chip 0 has to ask before it writes again.
  const outcome ended = run_reference(
      four_chips(), in_turn(2, {writes(0), reads(1), reads(0), writes(0), writes(0)}));
  EXPECT_EQ(ended.counts.upgrades, 1U);
  EXPECT_EQ(ended.counts.caches[0].misses, 3U) << "two first ones and the upgrade";
}

TEST(ReferenceStates, ALineInStateOwnedThatLeavesIsWrittenBack) {
  const outcome ended =
      run_reference(four_chips(), in_turn(2, and_drops({writes(0), reads(1)}, 0)));
  EXPECT_EQ(ended.counts.write_backs, 1U);
  const std::vector<chip_state>& states = ended.states.at(page * page_bytes / line_bytes);
  EXPECT_EQ(states[0], chip_state::invalid);
  EXPECT_EQ(states[1], chip_state::shared);
}

TEST(ReferenceStates, AWriteRemovesTheNeighboursCopies) {
  // Two PUs of one chip: PU 1's copy goes when PU 0 writes, so PU 1 misses its first level again.
  const outcome ended = run_reference(
      small_machine({1, 1, 2, 1}),
      in_turn(2,
              {{0, load(line(0))}, {1, load(line(0))}, {0, store(line(0))}, {1, load(line(0))}}));
  EXPECT_EQ(ended.counts.caches[0].misses, 4U);
  EXPECT_EQ(ended.counts.caches[1].misses, 1U);
}

TEST(ReferenceStates, ThreadsOfOneCoreUseOneFirstLevel) {
  const outcome ended = run_reference(small_machine({1, 1, 1, 2}),
                                      in_turn(2, {{0, store(line(0))}, {1, store(line(0))}}));
  EXPECT_EQ(ended.counts.caches[0].misses, 1U);
  EXPECT_EQ(ended.counts.tlb_misses, 1U);
}

}  // namespace
}  // namespace numatch::sim
