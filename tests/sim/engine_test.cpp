// SPDX-License-Identifier: Apache-2.0
// The engine beside the reference machine, at a phase length of 1: every count and every cycle.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "sim/engine_run.hpp"
#include "sim/random_programs.hpp"
#include "sim/read_configs.hpp"
#include "sim/reference_run.hpp"

namespace numatch::sim {
namespace {

page_placing same(placing pages) {
  return pages == placing::interleave ? page_placing::interleave : page_placing::first_touch;
}

/// Empty when the engine gives what the reference gives.
std::string compared(const named_machine& machine, const program& code, placing pages) {
  const ref::outcome expected = run_reference(machine.config, code, pages);
  const std::vector<run_result> given = run_engine(machine, code, {plain_options(same(pages), 1)});
  return differences(expected.counts, given.at(0));
}

class EngineOnEveryMachine : public testing::TestWithParam<std::size_t> {};

TEST_P(EngineOnEveryMachine, GivesWhatTheReferenceGivesForAnyProgram) {
  const named_machine machine = every_machine()[GetParam()];
  SCOPED_TRACE(machine.name);
  const bool held = rc::check(machine.name, [&] {
    const unsigned threads = *rc::gen::inRange(1U, machine.shape.all_pus() + 1);
    const drawn_program drawn{threads, *drawn_steps(threads)};
    const placing pages = *rc::gen::element(placing::interleave, placing::first_touch);
    RC_ASSERT(compared(machine, drawn.made(), pages) == "");
  });
  EXPECT_TRUE(held);
}

/// Long enough that caches, TLBs and rows are full, and links and banks are crowded.
made_program crowded(unsigned threads, std::uint64_t seed, std::size_t accesses_each) {
  std::mt19937_64 draw(seed);
  made_program made(threads);
  for (std::size_t round = 0; round < accesses_each / 20; ++round) {
    for (unsigned thread = 0; thread < threads; ++thread) {
      std::vector<trace::access> piece;
      for (int i = 0; i < 20; ++i) {
        const bool own = draw() % 2 == 0;
        const std::uint64_t first = own ? line(100 + std::uint64_t{16} * thread, 0) : 0;
        const std::uint64_t address = first + draw() % (own ? 8192 : 4096);
        piece.push_back(draw() % 3 == 0 ? store(address) : load(address));
      }
      made.run(thread, piece, 20 + draw() % 60);
      if (draw() % 8 == 0) made.acquire(thread, 1).release(thread, 1);
    }
  }
  return made;
}

TEST_P(EngineOnEveryMachine, GivesWhatTheReferenceGivesWhenAllIsCrowded) {
  const named_machine machine = every_machine()[GetParam()];
  SCOPED_TRACE(machine.name);
  const made_program code = crowded(machine.shape.all_pus(), 7 + GetParam(), 400);
  EXPECT_EQ(compared(machine, code, placing::interleave), "");
  EXPECT_EQ(compared(machine, code, placing::first_touch), "");
}

INSTANTIATE_TEST_SUITE_P(Machines, EngineOnEveryMachine,
                         testing::Range<std::size_t>(0, every_machine().size()));

TEST(Engine, GivesWhatTheReferenceGivesOnTheMachinesThatNumatchDescribes) {
  const settings stops{{"link.intra.model", "stops"}};
  const settings square{{"link.intra.model", "stops"}, {"link.intra.topology", "mesh"}};
  const std::vector<std::pair<std::string, settings>> specs = {
      {"simics-4x2", {}},    {"nehalem-2x4", {}}, {"opteron-8x4", {}},   {"xeon32", {}},
      {"simics-4x2", stops}, {"xeon32", square},  {"opteron-8x4", stops}};
  for (const auto& [spec, set] : specs) {
    SCOPED_TRACE(fmt::format("{} with {} settings", spec, set.size()));
    const result<topology> described = topology::load(spec);
    ASSERT_TRUE(described) << described.error().message();
    const result<topology> where = set_facts(*described, set);
    ASSERT_TRUE(where) << where.error().message();
    result<machine_config> config = read_config(*where);
    ASSERT_TRUE(config) << config.error().message();
    config->core.overlap = 1;  // the reference has one miss after the other
    std::mt19937_64 draw(9);
    const unsigned threads = static_cast<unsigned>(config->pus());
    made_program code(threads);
    for (unsigned thread = 0; thread < threads; ++thread) {
      std::vector<trace::access> accesses(40'000 / threads);
      for (trace::access& one : accesses) {
        const std::uint64_t address = draw() % 3 == 0 ? draw() % 65'536 : draw() % 8'388'608;
        one = draw() % 3 == 0 ? store(address) : load(address);
      }
      code.run(thread, accesses, accesses.size() * 5 / 2);
    }
    const ref::outcome expected = run_reference(*config, code, placing::first_touch);
    const std::atomic<bool> stop = false;
    const std::vector<run_options> runs = {plain_options(page_placing::first_touch, 1)};
    const result<std::vector<run_result>> given =
        simulate(*where, *config, code, runs, 1, [](std::uint64_t) {}, stop);
    ASSERT_TRUE(given) << given.error().message();
    EXPECT_EQ(differences(expected.counts, given->at(0)), "");
  }
}

TEST(Engine, GivesTheSameForAnyNumberOfHostThreads) {
  const named_machine ring = every_machine()[2];
  const made_program code = crowded(8, 3, 20'000);
  std::vector<run_options> runs;
  for (const page_placing pages :
       {page_placing::first_touch, page_placing::interleave, page_placing::random}) {
    for (const thread_placing threads : {thread_placing::compact, thread_placing::scatter,
                                         thread_placing::random, thread_placing::linux_like}) {
      runs.push_back(plain_options(pages, 20'000));
      runs.back().threads = threads;
      runs.back().timeline_cycles = 50'000;
    }
  }
  const auto all_of = [&](unsigned jobs) {
    std::string text;
    for (const run_result& one : run_engine(ring, code, runs, jobs)) text += text_of(one);
    return text;
  };
  const std::string once = all_of(1);
  EXPECT_EQ(all_of(1), once);
  EXPECT_EQ(all_of(2), once);
  EXPECT_EQ(all_of(8), once);
}

TEST(Engine, OneRunAloneDoesNotDependOnHostThreadsEither) {
  const named_machine ring = every_machine()[2];
  const made_program code = crowded(8, 4, 20'000);
  const std::vector<run_options> one = {plain_options(page_placing::interleave, 20'000)};
  const std::string once = text_of(run_engine(ring, code, one, 1).at(0));
  EXPECT_EQ(text_of(run_engine(ring, code, one, 2).at(0)), once);
  EXPECT_EQ(text_of(run_engine(ring, code, one, 8).at(0)), once);
}

TEST(Engine, ChipsWithStopsGiveTheSameForAnyNumberOfHostThreads) {
  named_machine made{"stops", {4, 1, 2, 1}, small_machine({4, 1, 2, 1})};
  add_stops(made.config, 3, 16);
  const made_program code = crowded(8, 5, 20'000);
  const std::vector<run_options> one = {plain_options(page_placing::interleave, 20'000)};
  const std::string once = text_of(run_engine(made, code, one, 1).at(0));
  EXPECT_EQ(text_of(run_engine(made, code, one, 2).at(0)), once);
  EXPECT_EQ(text_of(run_engine(made, code, one, 8).at(0)), once);
}

TEST(Engine, UniformAccessesToInterleavedPagesOfFourNodesAreRemoteInThreeOfFour) {
  const named_machine ring = every_machine()[2];
  std::mt19937_64 draw(5);
  made_program code(8);
  for (unsigned thread = 0; thread < 8; ++thread) {
    std::vector<trace::access> accesses(50'000);
    for (trace::access& one : accesses) one = load(line(draw() % 65'536));
    code.run(thread, accesses);
  }
  const run_result uniform =
      run_engine(ring, code, {plain_options(page_placing::interleave, 20'000)}).at(0);
  EXPECT_NEAR(uniform.remote_share(), 0.750, 0.002);
  EXPECT_GT(uniform.memory_accesses(), 390'000U) << "nearly all of them miss";
}

}  // namespace
}  // namespace numatch::sim
