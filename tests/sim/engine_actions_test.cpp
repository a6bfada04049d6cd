// SPDX-License-Identifier: Apache-2.0
// What mechanisms ask of the simulated machine, and what the program itself says about placement.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "sim/engine_run.hpp"
#include "sim/made_program.hpp"

namespace numatch::sim {
namespace {

/// What a test wants to happen; the entry's function can hold nothing itself.
struct script {
  std::function<void(world&)> begin;
  std::function<void(world&)> wake_up;
  std::vector<outcome_event> outcomes;
  std::vector<page_fault_event> faults;
  std::vector<memory_sample_event> samples;
  std::uint64_t sample_period = 0;
  std::vector<std::uint32_t> first_pu;  ///< by thread
  int wake_ups = 0;
};
script* playing = nullptr;

class scripted : public mechanism {
 public:
  void on_begin(world& where) override {
    if (playing->begin) playing->begin(where);
  }
  void on_wake_up(world& where) override {
    ++playing->wake_ups;
    if (playing->wake_up) playing->wake_up(where);
  }
  sensor_plan sensors() const override {
    sensor_plan plan;
    plan.sample_period = playing->sample_period;
    return plan;
  }
  void on_page_fault(const page_fault_event& fault, world&) override {
    playing->faults.push_back(fault);
  }
  void on_memory_sample(const memory_sample_event& sample, world&) override {
    playing->samples.push_back(sample);
  }
  void on_thread_start(thread_id thread, world& where) override {
    playing->first_pu.resize(std::max(playing->first_pu.size(), thread.index() + 1));
    playing->first_pu[thread.index()] = where.pu_of(thread)->value;
  }
  void on_outcome(const outcome_event& outcome, world&) override {
    playing->outcomes.push_back(outcome);
  }
  sharing_matrix sharing() const override { return sharing_matrix(0); }
};

constexpr std::array needs{event_kind::page_fault, event_kind::memory_sample};
constexpr std::array acts{action_kind::move_threads, action_kind::move_pages,
                          action_kind::replicate_pages, action_kind::induce_faults,
                          action_kind::wake_up};
const mechanism_entry scripted_entry{
    .name = "scripted",
    .summary = "does what a test says",
    .source = "",
    .matrix_unit = "",
    .needs = needs,
    .acts = acts,
    .tables = {},
    .parameters = {},
    .max_threads = 64,
    .make = [](const parameter_set&) -> result<std::unique_ptr<mechanism>> {
      return std::make_unique<scripted>();
    },
};

run_result play(script& with, const named_machine& machine, const program& code,
                std::uint64_t phase_cycles = 100, double time_scale = 1) {
  playing = &with;
  run_options options = plain_options(page_placing::first_touch, phase_cycles);
  options.mechanism = &scripted_entry;
  options.time_scale = time_scale;
  return run_engine(machine, code, {options}).front();
}

named_machine two_nodes() {
  named_machine made{"two nodes", {2, 1, 2, 1}, small_machine({2, 1, 2, 1})};
  made.config.network.queueing = false;
  made.config.memory.queueing = false;
  return made;
}

/// `rounds` times through `pages` pages from `first` on, a line after the other.
std::vector<trace::access> through(std::uint64_t first, unsigned pages, unsigned rounds) {
  std::vector<trace::access> all;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned line = 0; line < pages * 16; ++line) all.push_back(load(first + line * 64));
  }
  return all;
}

constexpr std::uint64_t page_0 = 0x100000;
constexpr std::uint64_t page_bytes = 1024;

TEST(Actions, APageMovesAndItsCopyCostsWhatItsLinesCost) {
  const named_machine machine = two_nodes();
  made_program code(1);
  code.run(0, through(page_0, 1, 2000));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{5000}); };
  with.wake_up = [](world& where) {
    where.move_page(page_number(page_0 / page_bytes), node_id(1));
  };
  const run_result ended = play(with, machine, code);
  ASSERT_EQ(with.outcomes.size(), 1U);
  EXPECT_TRUE(with.outcomes[0].done);
  EXPECT_EQ(ended.pages_moved, 1U);
  // 16 lines are asked for one burst after the other. The last one: its row of 4 lines is open at
  // both ends, 27 + 12 cycles each, and 72 bytes pass a link in 40 + 4.
  EXPECT_EQ(ended.page_move_cycles, machine.config.os.page_move + 15 * 12 + 39 + 44 + 39);
  EXPECT_EQ(ended.traffic_bytes[static_cast<std::size_t>(traffic::page_copy)], 16U * 72);
  EXPECT_GT(ended.local_memory, 0U);   // before
  EXPECT_GT(ended.remote_memory, 0U);  // after
}

TEST(Actions, APageThatNobodyMappedCannotMove) {
  made_program code(1);
  code.run(0, through(page_0, 1, 2000));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{5000}); };
  with.wake_up = [](world& where) { where.move_page(page_number(77), node_id(1)); };
  const run_result ended = play(with, two_nodes(), code);
  ASSERT_EQ(with.outcomes.size(), 1U);
  EXPECT_FALSE(with.outcomes[0].done);
  EXPECT_EQ(with.outcomes[0].reason, "the page is not mapped");
  EXPECT_EQ(ended.pages_failed, 1U);
  EXPECT_EQ(ended.pages_moved, 0U);
}

TEST(Actions, APageThatTheProgramUnmappedCannotMoveAndStartsAnew) {
  made_program code(1);
  code.run(0, through(page_0, 1, 10));
  code.tell(0, trace::event_kind::unmap, {page_0, page_bytes});
  code.run(0, through(page_0 + page_bytes, 1, 2000));
  code.run(0, through(page_0, 1, 10));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{8000}); };
  with.wake_up = [](world& where) {
    where.move_page(page_number(page_0 / page_bytes), node_id(1));
  };
  const run_result ended = play(with, two_nodes(), code);
  ASSERT_EQ(with.outcomes.size(), 1U);
  EXPECT_FALSE(with.outcomes[0].done);
  EXPECT_EQ(ended.page_faults, 3U);
}

TEST(Actions, AThreadMovesAndPaysForIt) {
  const named_machine machine = two_nodes();
  made_program code(1);
  code.run(0, through(page_0, 1, 2000));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{5000}); };
  with.wake_up = [](world& where) { where.move_threads(std::vector{pu_id(3)}); };
  const run_result ended = play(with, machine, code);
  EXPECT_EQ(ended.threads_moved, 1U);
  EXPECT_EQ(ended.thread_move_cycles, machine.config.os.thread_move);
  EXPECT_TRUE(ended.first_thread_mapping);
  EXPECT_GT(ended.remote_memory, 0U);  // its page stays where it was
}

TEST(Actions, AThreadCannotMoveToAPuThatIsNotThere) {
  made_program code(1);
  code.run(0, through(page_0, 1, 2000));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{5000}); };
  with.wake_up = [](world& where) { where.move_threads(std::vector{pu_id(9)}); };
  const run_result ended = play(with, two_nodes(), code);
  ASSERT_EQ(with.outcomes.size(), 1U);
  EXPECT_FALSE(with.outcomes[0].done);
  EXPECT_EQ(ended.threads_moved, 0U);
}

TEST(Actions, ReplicasAreReadAtHomeUntilSomebodyWrites) {
  made_program code(4);
  code.run(0, through(page_0, 1, 4000));
  code.run(1, {load(page_0 + 64 * page_bytes)});
  code.run(2, through(page_0, 1, 4000));
  std::vector<trace::access> late = through(page_0 + 8 * page_bytes, 1, 3000);
  late.push_back(store(page_0));
  code.run(3, late);
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{20000}); };
  with.wake_up = [](world& where) { where.replicate_page(page_number(page_0 / page_bytes)); };
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.pages_replicated, 1U);
  EXPECT_EQ(ended.replicas_collapsed, 1U);
}

TEST(Actions, TakenPagesFaultOnceEach) {
  made_program code(1);
  code.run(0, through(page_0, 3, 2000));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{10000}); };
  with.wake_up = [](world& where) {
    const std::vector pages{page_number(page_0 / page_bytes), page_number(page_0 / page_bytes + 2),
                            page_number(5)};
    where.induce_faults({fault_plan::kind::pages, 0, pages});
  };
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.page_faults, 3U);
  EXPECT_EQ(ended.induced_faults, 2U);
  ASSERT_EQ(with.faults.size(), 5U);
  EXPECT_FALSE(with.faults[0].induced);
  EXPECT_TRUE(with.faults[4].induced);
}

TEST(Actions, WithViewsEveryThreadFaultsForItself) {
  made_program code(2);
  code.run(0, through(page_0, 1, 3000));
  code.run(1, through(page_0, 1, 3000));
  script with;
  with.begin = [](world& where) { where.wake_up_at(instant{10000}); };
  with.wake_up = [](world& where) { where.induce_faults({fault_plan::kind::thread_views, 0, {}}); };
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.page_faults, 1U);
  EXPECT_EQ(ended.induced_faults, 2U);
}

TEST(Actions, SamplesDoNotKeepStepWithTheProgram) {
  made_program code(1);
  std::vector<trace::access> in_turn;
  for (std::uint64_t line = 0; line < 4000; line += 2) {
    in_turn.push_back(load(page_0 + line * 64));
    in_turn.push_back(store(page_0 + (line + 1) * 64));
  }
  code.run(0, in_turn);
  script with;
  with.sample_period = 10;
  play(with, two_nodes(), code);
  const auto reads = std::count_if(with.samples.begin(), with.samples.end(),
                                   [](const memory_sample_event& s) { return !s.write; });
  EXPECT_NEAR(static_cast<double>(with.samples.size()), 400, 40);
  EXPECT_NEAR(static_cast<double>(reads), 200, 60);
}

TEST(Actions, EveryMissIsASampleAtAPeriodOfOne) {
  made_program code(1);
  code.run(0, through(page_0, 4, 1));
  script with;
  with.sample_period = 1;
  play(with, two_nodes(), code);
  EXPECT_EQ(with.samples.size(), 64U);
}

TEST(Actions, AWakeUpIsNeverEarlyAtAnyScale) {
  made_program code(1);
  code.run(0, through(page_0, 1, 3000));
  for (const double scale : {1.0, 3.0, 7.3, 100.0}) {
    script with;
    const auto again = [](world& where) { where.wake_up_at({where.now().nanoseconds + 1001}); };
    std::uint64_t expected = 0;
    with.begin = [&](world& where) {
      again(where);
      expected = where.now().nanoseconds + 1001;
    };
    with.wake_up = [&](world& where) {
      EXPECT_GE(where.now().nanoseconds, expected) << scale;
      again(where);
      expected = where.now().nanoseconds + 1001;
    };
    play(with, two_nodes(), code, 100, scale);
    EXPECT_GT(with.wake_ups, 3);
  }
}

TEST(Placement, MoreThreadsThanPusTakeTurns) {
  named_machine machine{"one chip", {1, 1, 2, 1}, small_machine({1, 1, 2, 1})};
  machine.config.os.time_slice = 5000;
  made_program code(6);
  for (unsigned t = 0; t < 6; ++t) code.run(t, through(page_0 + t * page_bytes, 1, 1000));
  script with;
  const run_result ended = play(with, machine, code);
  EXPECT_EQ(ended.accesses, 6U * 16 * 1000);
  EXPECT_GE(ended.cycles, 3U * 16 * 1000);
  EXPECT_GT(ended.stall_system, 6U * machine.config.os.page_fault);  // context switches
}

TEST(Placement, AThreadThatWaitsLeavesItsPuToAnother) {
  named_machine machine{"one PU", {1, 1, 1, 1}, small_machine({1, 1, 1, 1})};
  made_program code(2);
  code.run(0, {load(page_0)}).acquire(0, 7).run(0, {load(page_0)});
  code.run(1, through(page_0, 1, 100)).release(1, 7);
  // The release comes after the acquire in the list, so the acquire does not wait for it; one that
  // does:
  made_program waits(2);
  waits.release(1, 7).run(1, through(page_0, 1, 100)).release(1, 8);
  waits.run(0, {load(page_0)}).acquire(0, 8).run(0, {load(page_0)});
  script with;
  EXPECT_EQ(play(with, machine, code).accesses, 2U + 1600);
  EXPECT_EQ(play(with, machine, waits).accesses, 2U + 1600);
}

TEST(Placement, TheProgramsOwnAffinityDecides) {
  made_program code(2);
  code.tell(0, trace::event_kind::affinity, {0, 0b1000, 0, 0, 0}).run(0, {load(page_0)});
  code.tell(1, trace::event_kind::run_on, {1}).run(1, {load(page_0 + page_bytes)});
  script with;
  play(with, two_nodes(), code);
  EXPECT_EQ(with.first_pu[0], 3U);
  EXPECT_EQ(with.first_pu[1], 2U);
}

TEST(Placement, AThreadMayBindAnother) {
  made_program code(2);
  code.tell(0, trace::event_kind::affinity, {1001, 0b1000, 0, 0, 0});
  code.tell(0, trace::event_kind::affinity, {77, 0b1000, 0, 0, 0});  // of nobody that is known
  code.run(0, {load(page_0)}).run(1, {load(page_0 + page_bytes)});
  script with;
  play(with, two_nodes(), code);
  EXPECT_EQ(with.first_pu[0], 0U);
  EXPECT_EQ(with.first_pu[1], 3U);
}

TEST(Placement, TheProgramsOwnMemoryPolicyDecides) {
  constexpr std::uint64_t bind = 2;
  constexpr std::uint64_t interleave = 3;
  made_program code(1);
  code.tell(0, trace::event_kind::bind_memory, {page_0, 2 * page_bytes, bind, 0b10, 0});
  code.tell(0, trace::event_kind::memory_policy, {interleave, 0b11});
  std::vector<trace::access> once;
  for (unsigned page = 0; page < 6; ++page) once.push_back(load(page_0 + page * page_bytes));
  code.run(0, once);
  script with;
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.remote_memory, 2U + 2);  // both bound ones, and two of four in turn
  EXPECT_EQ(ended.local_memory, 2U);
}

TEST(Placement, WhatAThreadPlacesWhereItIsGoesToItsNode) {
  constexpr std::uint64_t own_node = ~std::uint64_t{0};
  made_program code(2);
  code.run(0, {load(page_0)}).release(0, 7);
  code.tell(1, trace::event_kind::run_on, {1}).run(1, {load(page_0 + 8 * page_bytes)});
  code.acquire(1, 7);
  code.tell(1, trace::event_kind::place, {page_0, 2 * page_bytes, own_node});
  // A line of each page that nobody has in a cache: the first page moved, the second starts there.
  code.run(1, {load(page_0 + 512), load(page_0 + page_bytes)});
  script with;
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.local_memory, 4U);
  EXPECT_EQ(ended.remote_memory, 0U);
}

TEST(Placement, WhatIsUnmappedForgetsItsPolicyAndNothingElseDoes) {
  constexpr std::uint64_t bind = 2;
  made_program code(1);
  code.tell(0, trace::event_kind::bind_memory, {page_0, 4 * page_bytes, bind, 0b10, 0});
  code.tell(0, trace::event_kind::unmap, {page_0 + page_bytes, 2 * page_bytes});
  std::vector<trace::access> once;
  for (unsigned page = 0; page < 4; ++page) once.push_back(load(page_0 + page * page_bytes));
  code.run(0, once);
  script with;
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.remote_memory, 2U);  // the first and the last page
  EXPECT_EQ(ended.local_memory, 2U);   // by first touch
}

TEST(Placement, ThePolicyThatAPageGotLastCounts) {
  constexpr std::uint64_t bind = 2;
  made_program code(1);
  code.tell(0, trace::event_kind::bind_memory, {page_0, 4 * page_bytes, bind, 0b10, 0});
  code.tell(0, trace::event_kind::bind_memory, {page_0 + page_bytes, page_bytes, bind, 0b01, 0});
  std::vector<trace::access> once;
  for (unsigned page = 0; page < 5; ++page) once.push_back(load(page_0 + page * page_bytes));
  code.run(0, once);
  script with;
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.remote_memory, 3U);
  EXPECT_EQ(ended.local_memory, 2U);  // the second page, and the fifth by first touch
}

TEST(Placement, PagesThatAreBoundLaterMove) {
  constexpr std::uint64_t bind = 2;
  constexpr std::uint64_t move = 2;
  made_program code(1);
  code.run(0, {load(page_0)}, 500);
  code.tell(0, trace::event_kind::bind_memory, {page_0, page_bytes, bind, 0b10, move});
  code.run(0, {load(page_0), load(page_0)}, 10000);
  script with;
  const run_result ended = play(with, two_nodes(), code);
  EXPECT_EQ(ended.local_memory, 1U);
  EXPECT_EQ(ended.remote_memory, 1U);
}

TEST(OverlappingMisses, TheSecondOneIsUnderWayWithTheFirst) {
  named_machine machine = two_nodes();
  made_program code(1);
  code.run(0, {load(page_0), load(page_0 + 64), load(page_0 + 128)});
  const auto cycles = [&](unsigned overlap, unsigned window) {
    machine.config.core.overlap = overlap;
    machine.config.core.overlap_window = window;
    script with;
    return play(with, machine, code).cycles;
  };
  const std::uint64_t blocking = cycles(1, 0);
  // A row that is open: 27 + 12 cycles, hidden behind the first one's 54 + 12.
  EXPECT_EQ(cycles(2, 16), blocking - 39);
  EXPECT_EQ(cycles(3, 16), blocking - 2 * 39);
  EXPECT_EQ(cycles(4, 0), blocking);
}

}  // namespace
}  // namespace numatch::sim
