// SPDX-License-Identifier: Apache-2.0
// Programs that a mechanism has nothing to do for, or cannot hold.
#include <gtest/gtest.h>

#include <atomic>

#include "sim/engine_run.hpp"
#include "sim/made_program.hpp"
#include "topology/topology.hpp"

namespace numatch::sim {
namespace {

std::vector<trace::access> lines(std::uint64_t first, unsigned count) {
  std::vector<trace::access> all;
  for (unsigned i = 0; i < count; ++i) all.push_back(load(first + i * 64));
  return all;
}

named_machine two_nodes() {
  return {"two nodes", {2, 1, 2, 1}, small_machine({2, 1, 2, 1})};
}

TEST(OddPrograms, EveryMechanismLetsAProgramOfOneThreadRun) {
  made_program code(1);
  code.run(0, lines(0x100000, 4000));
  for (const mechanism_entry* const entry : all_mechanisms()) {
    run_options options = plain_options(page_placing::first_touch, 1000);
    options.mechanism = entry;
    options.time_scale = 10'000;
    const run_result ended = run_engine(two_nodes(), code, {options}).front();
    EXPECT_EQ(ended.accesses, 4000U) << entry->name;
    EXPECT_GE(ended.cycles, 4000U) << entry->name;
  }
}

TEST(OddPrograms, ATraceThatEndsInThePhaseTakesTheTimeThatItTakes) {
  made_program code(1);
  code.run(0, lines(0x100000, 50));
  const std::vector<run_result> ended =
      run_engine(two_nodes(), code,
                 {plain_options(page_placing::first_touch, 1),
                  plain_options(page_placing::first_touch, 1'000'000)});
  EXPECT_EQ(ended[1].cycles, ended[0].cycles);
  EXPECT_EQ(ended[1].accesses, 50U);
}

TEST(OddPrograms, MoreThreadsThanTheMechanismsIdsHoldAreRefusedBeforeAnythingRuns) {
  made_program code(257);
  for (unsigned thread = 0; thread < 257; ++thread) code.run(thread, {load(0x100000)});
  const named_machine machine = two_nodes();
  const result<topology> where = topology::load(topology_text(machine.shape));
  ASSERT_TRUE(where);
  std::vector<run_options> runs = {plain_options(page_placing::first_touch, 1000)};
  runs[0].mechanism = *find_mechanism("sammu");
  const std::atomic<bool> stop = false;
  const result<std::vector<run_result>> ended =
      simulate(*where, machine.config, code, runs, 1, [](std::uint64_t) {}, stop);
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message().find("256 threads"), std::string::npos)
      << ended.error().message();
  runs[0].mechanism = *find_mechanism("lapt");
  EXPECT_TRUE(simulate(*where, machine.config, code, runs, 1, [](std::uint64_t) {}, stop));
}

}  // namespace
}  // namespace numatch::sim
