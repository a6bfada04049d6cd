// SPDX-License-Identifier: Apache-2.0
#include "sim/read_caches.hpp"

#include <gtest/gtest.h>

#include "support/expect_text.hpp"

namespace numatch::sim {
namespace {

cache_level level_of(unsigned level, std::vector<unsigned> group) {
  cache_level cache;
  cache.level = level;
  cache.group = std::move(group);
  return cache;
}

/// What is wrong with these caches on 2 nodes of 2 cores.
std::string complaint(const std::vector<cache_level>& levels) {
  const result<topology> machine = topology::load("numa:2 core:2 pu:1");
  fact_reader facts(*machine);
  read_caches(facts, *machine, levels);
  return facts.problem() ? facts.problem()->message() : "nothing";
}

TEST(ReadCaches, GroupsAreNumberedInTheOrderOfThePus) {
  const result<topology> machine = topology::load("numa:2 core:2 pu:1");
  fact_reader facts(*machine);
  const std::vector<cache_config> caches =
      read_caches(facts, *machine, {level_of(1, {7, 3, 5, 1}), level_of(2, {9, 9, 2, 2})});
  ASSERT_FALSE(facts.problem());
  EXPECT_EQ(caches[0].shared.group, (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(caches[1].shared.group, (std::vector<unsigned>{0, 0, 1, 1}));
  EXPECT_EQ(caches[1].shared.count, 2U);
}

TEST(ReadCaches, APuWithoutACacheIsRefused) {
  EXPECT_TRUE(contains(complaint({level_of(1, {0, 1, no_cache, 2})}), "a PU has no L1 cache"));
}

TEST(ReadCaches, ALevelMustServeAllPusOfTheLevelAboveIt) {
  EXPECT_TRUE(contains(complaint({level_of(1, {0, 0, 1, 1}), level_of(2, {0, 1, 2, 2})}),
                       "an L2 serves fewer PUs than the L1 above it"));
}

TEST(ReadCaches, ALastLevelStaysInsideANode) {
  EXPECT_TRUE(contains(complaint({level_of(1, {0, 1, 2, 3}), level_of(2, {0, 0, 0, 0})}),
                       "an L2 serves PUs of several NUMA nodes"));
}

TEST(ReadCaches, HardwareThreadsOfACoreShareTheFirstLevel) {
  const result<topology> machine = topology::load("numa:2 core:1 pu:2");
  fact_reader facts(*machine);
  read_caches(facts, *machine, {level_of(1, {0, 1, 2, 3}), level_of(2, {0, 0, 1, 1})});
  ASSERT_TRUE(facts.problem());
  EXPECT_TRUE(contains(facts.problem()->message(), "the PUs of one core do not share an L1"));
}

TEST(ReadCaches, WhatTheMachineKnowsGoesBeforeTheUsualSizes) {
  const result<topology> machine = topology::load("numa:2 core:2 pu:1");
  fact_reader facts(*machine);
  cache_level first = level_of(1, {0, 1, 2, 3});
  first.bytes = 48U << 10U;
  first.ways = 12;
  const std::vector<cache_config> caches = read_caches(facts, *machine, {first});
  ASSERT_FALSE(facts.problem());
  EXPECT_EQ(caches[0].bytes, 48U << 10U);
  EXPECT_EQ(caches[0].ways, 12U);
  EXPECT_EQ(caches[0].sets(64), 64U);
}

}  // namespace
}  // namespace numatch::sim
