// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>

#include "support/expect_text.hpp"
#include "topology/machine_description.hpp"

namespace numatch {
namespace {

class Description : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "numatch_description/";
    std::filesystem::create_directories(folder_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + name) << text;
    return folder_ + name;
  }
  std::string message_of(const std::string& text) const {
    const result<machine_description> read = read_description(write("bad.toml", text));
    return read ? "no error" : read.error().message();
  }
  std::string folder_;
};

constexpr const char* small =
    "summary = \"small\"\n"
    "[tree]\nhwloc = { value = \"numa:2 l2:1 pu:2\", source = \"test\" }\n"
    "[cache.l2]\n"
    "size = { value = 1.5, unit = \"MiB\", source = \"test\" }\n"
    "latency = { value = 5, unit = \"cycles\", source = \"test\" }\n"
    "[distance]\nnodes = { value = [[10, 15.5], [15.5, 10]], unit = \"SLIT\", source = \"test\" "
    "}\n";

TEST_F(Description, BecomesAMachine) {
  const result<topology> machine = topology::load(write("small.toml", small));
  ASSERT_TRUE(machine) << machine.error().message();
  EXPECT_EQ(machine->name(), "small");
  EXPECT_EQ(machine->pu_count(), 4U);
  ASSERT_EQ(machine->caches().size(), 1U);
  EXPECT_EQ(machine->caches()[0].bytes, 3U << 19U);
  EXPECT_EQ(machine->node_distance(node_id(0), node_id(1)), 15.5);
  EXPECT_TRUE(machine->distances_known());
}

TEST_F(Description, FactsComeInTheOrderOfTheFile) {
  const result<machine_description> read = read_description(write("small.toml", small));
  ASSERT_TRUE(read) << read.error().message();
  ASSERT_EQ(read->facts.size(), 4U);
  EXPECT_EQ(read->facts[0].key, "tree.hwloc");
  EXPECT_EQ(read->facts[1].key, "cache.l2.size");
  EXPECT_EQ(read->facts[2].unit, "cycles");
}

TEST_F(Description, ABaseIsTakenOverAndReplaced) {
  write("small.toml", small);
  const std::string path =
      write("slow.toml",
            "base = \"small\"\n"
            "[cache.l2]\nlatency = { value = 9, unit = \"cycles\", source = \"other test\" }\n");
  const result<machine_description> read = read_description(path);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->name, "slow");
  EXPECT_EQ(read->summary, "small");
  EXPECT_EQ(read->find("cache.l2.latency")->value, "9");
  EXPECT_EQ(read->find("cache.l2.latency")->source, "other test");
  EXPECT_EQ(read->find("cache.l2.size")->value, "1.5");
}

TEST_F(Description, AnUnknownKeyIsAnErrorThatNamesTheNearest) {
  EXPECT_TRUE(contains(
      message_of("[cache.l2]\nlatenci = { value = 5, unit = \"cycles\", source = \"t\" }\n"),
      "bad.toml:2: unknown key 'cache.l2.latenci'; did you mean "
      "'cache.l2.latency'?"));
  EXPECT_TRUE(contains(message_of("sumary = \"x\"\n"), "did you mean 'summary'?"));
}

TEST_F(Description, EveryKindOfMistakeHasItsLine) {
  EXPECT_TRUE(contains(message_of("[cache.l2\n"), "bad.toml:"));
  EXPECT_TRUE(contains(message_of("[tlb.l1]\nentries = 64\n"), "bad.toml:2: tlb.l1.entries"));
  EXPECT_TRUE(contains(message_of("[tlb.l1]\nentries = { value = 64 }\n"), "has no source"));
  EXPECT_TRUE(contains(message_of("[tlb.l1]\nentries = { source = \"t\" }\n"), "has no value"));
  EXPECT_TRUE(
      contains(message_of("[tlb.l1]\nentries = { value = 64, unit = \"B\", source = \"t\" }\n"),
               "unit 'B'"));
  EXPECT_TRUE(contains(message_of("[tlb.l1]\nentries = { value = 6.5, source = \"t\" }\n"),
                       "whole number"));
  EXPECT_TRUE(
      contains(message_of("[cache.l1]\nsize = { value = 64, source = \"t\" }\n"), "known: B, KiB"));
  for (const char* number : {"-1", "0", "nan", "inf", "\"64\"", "true"}) {
    EXPECT_TRUE(contains(
        message_of(fmt::format(
            "[cache.l1]\nsize = {{ value = {}, unit = \"B\", source = \"t\" }}\n", number)),
        "positive number"))
        << number;
  }
  EXPECT_TRUE(contains(
      message_of("[cache.l1]\nsize = { value = 1, unit = \"B\", source = \"t\", why = 1 }\n"),
      "unknown cell 'why'"));
}

TEST_F(Description, AWordMustBeKnownWhereOnlySomeAre) {
  EXPECT_TRUE(
      contains(message_of("[link.inter]\ntopology = { value = \"rong\", source = \"t\" }\n"),
               "bad.toml:2: link.inter.topology cannot be 'rong'; did you mean 'ring'?"));
  EXPECT_TRUE(
      contains(message_of("[cache.l1]\ninclusive = { value = \"maybe\", source = \"t\" }\n"),
               "cache.l1.inclusive cannot be 'maybe'; known: yes, no"));
  EXPECT_TRUE(contains(message_of("[coherence]\nprotocol = { value = \"MSI\", source = \"t\" }\n"),
                       "coherence.protocol cannot be 'MSI'"));
}

TEST_F(Description, ACostMayBeZeroAndNothingMoreThanABillion) {
  EXPECT_TRUE(read_description(
      write("zero.toml", "[tlb]\nwalk = { value = 0, unit = \"cycles\", source = \"t\" }\n")));
  EXPECT_TRUE(
      contains(message_of("[tlb]\nwalk = { value = -1, unit = \"cycles\", source = \"t\" }\n"),
               "tlb.walk must be a positive number or 0"));
  EXPECT_TRUE(
      contains(message_of("[tlb]\nwalk = { value = 1e10, unit = \"cycles\", source = \"t\" }\n"),
               "tlb.walk is more than 1000000000"));
}

TEST_F(Description, DistancesMustBeSquareAndFitTheNodes) {
  EXPECT_TRUE(contains(
      message_of("[distance]\nnodes = { value = [[10, 20]], unit = \"SLIT\", source = \"t\" }\n"),
      "not square"));
  const std::string path = write("misfit.toml",
                                 "[tree]\nhwloc = { value = \"numa:2 pu:1\", source = \"t\" }\n"
                                 "[distance]\nnodes = { value = [[10]], unit = \"SLIT\", source = "
                                 "\"t\" }\n");
  const result<topology> machine = topology::load(path);
  ASSERT_FALSE(machine);
  EXPECT_TRUE(contains(machine.error().message(), "1 rows for 2 nodes"));
}

TEST_F(Description, ABaseMustExistAndNotLeadBack) {
  EXPECT_TRUE(contains(message_of("base = \"xeon46\"\n"), "base 'xeon46' does not exist"));
  write("a.toml", "base = \"b\"\n");
  const result<machine_description> read = read_description(write("b.toml", "base = \"a\"\n"));
  ASSERT_FALSE(read);
  EXPECT_TRUE(contains(read.error().message(), "is based on itself"));
}

TEST_F(Description, WithoutATreeItIsNoMachine) {
  const result<topology> machine = topology::load(write("none.toml", "summary = \"x\"\n"));
  ASSERT_FALSE(machine);
  EXPECT_TRUE(contains(machine.error().message(), "has no tree.hwloc"));
}

}  // namespace
}  // namespace numatch
