// SPDX-License-Identifier: Apache-2.0
#include "topology/set_facts.hpp"

#include <gtest/gtest.h>

#include "support/expect_text.hpp"
#include "topology/machine_description.hpp"

namespace numatch {
namespace {

using settings = std::map<std::string, std::string>;

topology simics() {
  return *topology::load("simics-4x2");
}

std::string message_of(const settings& set) {
  const result<topology> machine = set_facts(simics(), set);
  return machine ? "no error" : machine.error().message();
}

TEST(SetFacts, ReplaceTheFactAndItsSource) {
  const result<topology> machine = set_facts(simics(), {{"cache.l2.latency", "9 cycles"}});
  ASSERT_TRUE(machine);
  const topology::fact* fact = find_fact(machine->facts(), "cache.l2.latency");
  ASSERT_NE(fact, nullptr);
  EXPECT_EQ(fact->value, "9");
  EXPECT_EQ(fact->unit, "cycles");
  EXPECT_EQ(fact->source, "set by the user");
  EXPECT_EQ(machine->facts().size(), simics().facts().size());
}

TEST(SetFacts, CachesFollow) {
  const result<topology> machine =
      set_facts(simics(), {{"cache.l2.size", "1.5MiB"}, {"cache.l2.ways", "12"}});
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->caches()[1].bytes, 3U << 19U);
  EXPECT_EQ(machine->caches()[1].ways, 12U);
  EXPECT_EQ(machine->caches()[0].bytes, simics().caches()[0].bytes);
}

TEST(SetFacts, WorkOnAMachineWithoutADescription) {
  const result<topology> bare = topology::load("numa:2 core:2 pu:1");
  const result<topology> machine = set_facts(*bare, {{"link.inter.topology", "full"}});
  ASSERT_TRUE(machine);
  ASSERT_EQ(machine->facts().size(), 1U);
  EXPECT_EQ(machine->facts()[0].value, "full");
}

TEST(SetFacts, AnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(message_of({{"cache.l2.siz", "1 MiB"}}),
            "unknown key 'cache.l2.siz'; did you mean 'cache.l2.size'?");
}

TEST(SetFacts, ValuesAreCheckedAsInAFile) {
  EXPECT_EQ(message_of({{"cache.l2.size", "1"}}),
            "cache.l2.size has no unit; known: B, KiB, MiB, GiB");
  EXPECT_EQ(message_of({{"cache.l2.size", "1 MB"}}),
            "cache.l2.size has the unit 'MB'; known: B, KiB, MiB, GiB");
  EXPECT_EQ(message_of({{"cache.l2.size", "big"}}),
            "cache.l2.size cannot be 'big'; it takes a number and its unit, as in '1 B'");
  EXPECT_EQ(message_of({{"cache.l2.ways", "eight"}}),
            "cache.l2.ways cannot be 'eight'; it takes a number");
  EXPECT_EQ(message_of({{"cache.l2.ways", "2.5"}}), "cache.l2.ways must be a whole number");
  EXPECT_EQ(message_of({{"cache.l2.ways", "0"}}), "cache.l2.ways must be a positive number");
  EXPECT_EQ(message_of({{"tlb.walk", "-1 cycles"}}), "tlb.walk must be a positive number or 0");
  EXPECT_EQ(message_of({{"tlb.walk", "nan cycles"}}), "tlb.walk must be a positive number or 0");
  EXPECT_EQ(message_of({{"tlb.walk", "2e9 cycles"}}), "tlb.walk is more than 1000000000");
  EXPECT_EQ(message_of({{"link.inter.topology", "rinf"}}),
            "link.inter.topology cannot be 'rinf'; did you mean 'ring'?");
  EXPECT_EQ(message_of({{"memory.type", ""}}), "memory.type must be a text");
  EXPECT_EQ(message_of({{"tlb.walk", "0 cycles"}}), "no error");
}

TEST(SetFacts, TheTreeAndTheDistancesStayAsDescribed) {
  EXPECT_TRUE(contains(message_of({{"tree.hwloc", "numa:2 pu:1"}}),
                       "tree.hwloc can only be stated in a machine description"));
  EXPECT_TRUE(contains(message_of({{"distance.nodes", "10"}}),
                       "distance.nodes can only be stated in a machine description"));
}

}  // namespace
}  // namespace numatch
