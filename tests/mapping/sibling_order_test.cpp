// SPDX-License-Identifier: Apache-2.0
#include "mapping/sibling_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "mapping/patterns.hpp"

namespace numatch {
namespace {

thread_mapping on(const std::vector<std::uint32_t>& pus) {
  thread_mapping mapping;
  for (const std::uint32_t pu : pus) mapping.pu_of.emplace_back(pu);
  return mapping;
}

TEST(SiblingOrder, FillsTheMachineInTheOrderOfTheThreads) {
  const topology where = machine("numa:2 core:2 pu:2");
  // Node 1 holds threads 0 to 2, core 3 of it thread 0.
  thread_mapping mapping = on({7, 5, 4, 0});
  order_siblings(mapping, where);
  EXPECT_EQ(mapping.pu_of, on({0, 2, 3, 4}).pu_of);
}

TEST(SiblingOrder, IsTheSameForAllMappingsThatDifferBySwapsOfEqualParts) {
  const topology where = machine("numa:2 core:2 pu:1");
  thread_mapping one = on({0, 1, 2, 3});
  thread_mapping other = on({3, 2, 0, 1});
  order_siblings(one, where);
  order_siblings(other, where);
  EXPECT_EQ(one.pu_of, other.pu_of);
}

TEST(SiblingOrder, KeepsTheCostAndTheCapacity) {
  const topology where = machine("numa:4 core:4 pu:2");
  const distance_table distances(where);
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::size_t threads = 1 + random() % 80;
    sharing_matrix sharing(threads);
    for (std::size_t i = 0; i < threads * threads; ++i) {
      const std::size_t a = random() % threads;
      const std::size_t b = random() % threads;
      if (a != b) sharing.add(a, b, static_cast<double>(random() % 100));
    }
    const mapping_answer answer = map("random", sharing, where, seed);
    thread_mapping ordered = answer.mapping;
    order_siblings(ordered, where);
    EXPECT_EQ(mapping_cost(sharing, ordered, distances), answer.cost);
    EXPECT_EQ(ordered.pu_of[0], pu_id(0));
    std::vector<std::size_t> before(32);
    std::vector<std::size_t> after(32);
    for (std::size_t t = 0; t < threads; ++t) {
      ++before[answer.mapping.pu_of[t].index()];
      ++after[ordered.pu_of[t].index()];
    }
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    EXPECT_EQ(before, after);
  }
}

}  // namespace
}  // namespace numatch
