// SPDX-License-Identifier: Apache-2.0
#include "mapping/mapping_file.hpp"

#include <gtest/gtest.h>

#include "base/atomic_file.hpp"
#include "mapping/patterns.hpp"
#include "mapping/recipes.hpp"
#include "support/expect_text.hpp"

namespace numatch {
namespace {

class MappingFile : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "numatch_mapping.json";
  void write(const std::string& text) { ASSERT_TRUE(write_file(path_, text)); }
  std::string message_of(const std::string& text) {
    write(text);
    const result<saved_mapping> read = read_mapping(path_);
    return read ? "no error" : read.error().message();
  }
};

saved_mapping sample() {
  saved_mapping mapping;
  mapping.answer = {"scotch", {{pu_id(3), pu_id(0)}}, 12.5, 0.25};
  mapping.machine = "xeon32";
  mapping.nodes = {node_id(1), node_id(0)};
  mapping.pages = page_placement{};
  mapping.pages->policy = page_policy::interleave;
  mapping.pages->runs = {{page_number(16), 4, node_id(1)}};
  return mapping;
}

TEST_F(MappingFile, WhatIsWrittenReadsBack) {
  write(mapping_to_json(sample(), true));
  const result<saved_mapping> read = read_mapping(path_);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->answer.algorithm, "scotch");
  EXPECT_EQ(read->answer.mapping.pu_of, sample().answer.mapping.pu_of);
  EXPECT_EQ(read->machine, "xeon32");
  ASSERT_TRUE(read->pages);
  EXPECT_EQ(read->pages->policy, page_policy::interleave);
}

TEST_F(MappingFile, HasTheKeysOfTheContract) {
  const std::string text = mapping_to_json(sample(), true);
  for (const char* part : {"\"algorithm\": \"scotch\"", "\"cost\": 12.5", "\"seconds\": 0.25",
                           "\"mapping\": [3,0]", "\"nodes\": [1,0]", "\"runs\":[[16,4,1]]"}) {
    EXPECT_TRUE(contains(text, part));
  }
  EXPECT_EQ(mapping_to_json(sample(), false).find("runs"), std::string::npos);
}

TEST_F(MappingFile, TheKeysOfTheContractAreEnough) {
  write("{\"algorithm\":\"mine\",\"cost\":1,\"seconds\":0,\"mapping\":[1],\"nodes\":[0]}");
  EXPECT_TRUE(read_mapping(path_));
}

TEST_F(MappingFile, WhatIsNoMappingIsAnErrorWithTheReason) {
  EXPECT_TRUE(contains(message_of(""), "is not a JSON object"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [0"), "is not a JSON object"));
  EXPECT_TRUE(contains(message_of("[1, 2]"), "is not a JSON object"));
  EXPECT_TRUE(contains(message_of("{}"), "has no list 'mapping'"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": 3}"), "has no list 'mapping'"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": []}"), "maps no thread"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [0, -1]}"), "'mapping' has -1"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [0, \"x\"]}"), "no PU number"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [0, 1.5]}"), "'mapping' has 1.5"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [99999999999]}"), "no PU number"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [0], \"pages\": 3}"), "pages.policy"));
  EXPECT_TRUE(contains(message_of("{\"mapping\": [0], \"pages\": {\"policy\": \"x\"}}"), "local"));
}

TEST(Recipes, UseTheNumbersOfTheOperatingSystem) {
  // PUs 0..4 of this machine are CPUs 2, 3, 5, 6, 7 on nodes 1, 1, 2, 3, 3.
  const topology where = machine(NUMATCH_SOURCE_DIR "/tests/topology/data/restricted_cpuset.xml");
  const thread_mapping mapping{{pu_id(2), pu_id(3), pu_id(0)}};
  const std::vector<recipe> lines = recipes_for(mapping, where, page_policy::local);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].line, "OMP_NUM_THREADS=3 OMP_PROC_BIND=close OMP_PLACES='{5}:2,{2}' CMD");
  EXPECT_EQ(lines[1].line, "OMP_NUM_THREADS=3 GOMP_CPU_AFFINITY='5-6 2' CMD");
  EXPECT_EQ(lines[2].line, "taskset -c 2,5-6 CMD");
  EXPECT_TRUE(contains(lines[3].line, "set -- 5 6 2;"));
  EXPECT_EQ(lines[4].line, "numactl --cpunodebind=1-3 --localalloc CMD");
  EXPECT_EQ(recipes_for(mapping, where, page_policy::interleave)[4].line,
            "numactl --cpunodebind=1-3 --interleave=1-3 CMD");
}

TEST(Recipes, CpuListsAreSortedAndJoined) {
  EXPECT_EQ(cpu_list({8, 1, 0, 2, 8, 10}), "0-2,8,10");
  EXPECT_EQ(cpu_list({}), "");
}

}  // namespace
}  // namespace numatch
