// SPDX-License-Identifier: Apache-2.0
#include "numatch/numa/partitioned.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <thread>

#include "library/executors.hpp"

namespace numatch {
namespace {

using numbers = std::pmr::vector<int>;

/// 0..99 dealt out to the parts.
numbers deal(std::size_t part, std::size_t parts, std::pmr::memory_resource* memory) {
  numbers mine(memory);
  for (int i = 0; i < 100; ++i) {
    if (static_cast<std::size_t>(i) % parts == part) mine.push_back(i);
  }
  return mine;
}

long sum_of(const numbers& part) {
  return std::accumulate(part.begin(), part.end(), 0L);
}

class Partitioned : public testing::TestWithParam<way> {
 protected:
  Partitioned() : nodes_(topology::parse(GetParam().shape), options_of(GetParam())) {}
  partitioned<numbers> dealt(std::size_t parts) {
    return {nodes_, parts, [parts](std::size_t part, std::pmr::memory_resource* memory) {
              return deal(part, parts, memory);
            }};
  }
  runtime nodes_;
};
INSTANTIATE_TEST_SUITE_P(All, Partitioned, testing::ValuesIn(all_ways()), name_of);

TEST_P(Partitioned, EveryPartIsBuiltOnItsNodeInItsMemory) {
  const std::size_t parts = 5;
  std::vector<std::size_t> built_on(parts, 99);
  partitioned<numbers> data(nodes_, parts,
                            [&](std::size_t part, std::pmr::memory_resource* memory) {
                              built_on[part] = nodes_.here();
                              return deal(part, parts, memory);
                            });
  for (std::size_t p = 0; p < parts; ++p) {
    EXPECT_EQ(data.owner(p), p % nodes_.size());
    EXPECT_EQ(built_on[p], data.owner(p));
    EXPECT_EQ(data[p].front(), static_cast<int>(p));
  }
}

TEST_P(Partitioned, MapReduceAsksEveryPart) {
  for (const std::size_t parts : {1u, 2u, 3u, 8u}) {
    const partitioned<numbers> data = dealt(parts);
    EXPECT_EQ(data.map_reduce(sum_of, std::plus<>()), 99 * 100 / 2);
  }
}

TEST_P(Partitioned, AnswersAreMergedInTheOrderOfTheParts) {
  const partitioned<numbers> data = dealt(6);
  const std::string order =
      data.map_reduce([](const numbers& part) { return std::to_string(part.front()); },
                      [](const std::string& a, const std::string& b) { return a + b; });
  EXPECT_EQ(order, "012345");
}

TEST_P(Partitioned, WorkIsDoneAtTheOwner) {
  partitioned<numbers> data = dealt(7);
  data.for_each_part([&](numbers& part, std::size_t p) {
    part.assign(1, nodes_.here() == data.owner(p) ? 1 : 0);
  });
  EXPECT_EQ(data.map_reduce(sum_of, std::plus<>()), 7);
}

TEST_P(Partitioned, ABatchAnswersInTheOrderOfTheQueries) {
  const partitioned<numbers> data = dealt(4);
  std::vector<int> queries(33);
  std::iota(queries.begin(), queries.end(), 1);
  const std::vector<long> answers = data.map_reduce_batch(
      queries, [](const numbers& part, const int& factor) { return factor * sum_of(part); },
      std::plus<>());
  ASSERT_EQ(answers.size(), queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) EXPECT_EQ(answers[q], 4950L * queries[q]);
}

TEST_P(Partitioned, AnEmptyBatchHasNoAnswers) {
  const partitioned<numbers> data = dealt(2);
  EXPECT_TRUE(
      data.map_reduce_batch(
              std::vector<int>(), [](const numbers&, const int&) { return 1; }, std::plus<>())
          .empty());
}

TEST_P(Partitioned, EveryPartsFailureReachesTheCaller) {
  partitioned<numbers> data = dealt(4);
  try {
    data.for_each_part([](numbers&, std::size_t p) {
      if (p % 2 == 1) throw std::runtime_error("part " + std::to_string(p));
    });
    FAIL() << "nothing was thrown";
  } catch (const parts_failed& failed) {
    ASSERT_EQ(failed.failures().size(), 2u);
    EXPECT_EQ(failed.failures()[0].part, 1u);
    EXPECT_EQ(failed.failures()[1].part, 3u);
  }
}

TEST_P(Partitioned, AMakerThatFailsLeavesNothingBehind) {
  EXPECT_THROW(partitioned<numbers>(nodes_, 3,
                                    [](std::size_t part, std::pmr::memory_resource* memory) {
                                      if (part == 2) throw std::length_error("on purpose");
                                      return numbers(1000, 1, memory);
                                    }),
               std::length_error);
}

TEST_P(Partitioned, AKeyHasOnePartAndItsOwnerDoesTheWork) {
  partitioned<numbers> data = dealt(3);
  for (int key = 0; key < 20; ++key) {
    const std::size_t part = data.part_of(key);
    EXPECT_EQ(data.at_owner(key, [&](numbers& found) { return &found; }), &data[part]);
    EXPECT_EQ(data.at_owner(key, [&](numbers&) { return nodes_.here(); }), data.owner(part));
  }
}

TEST_P(Partitioned, RebalancingMovesPartsAndKeepsPointers) {
  partitioned<numbers> data = dealt(8);
  std::vector<const int*> before;
  for (std::size_t p = 0; p < 8; ++p) before.push_back(data[p].data());
  std::vector<double> load(8, 1);
  for (std::size_t p = 0; p < 8; ++p) load[p] = data.owner(p) == 0 ? 10 : 1;
  const rebalance_plan plan = data.plan(load);
  data.rebalance(plan);
  for (std::size_t p = 0; p < 8; ++p) {
    EXPECT_EQ(data[p].data(), before[p]);
    EXPECT_EQ(data.owner(p), plan.node_of_part[p]);
    EXPECT_EQ(data.at_part(p, [&](numbers&) { return nodes_.here(); }), data.owner(p));
  }
  EXPECT_EQ(data.map_reduce(sum_of, std::plus<>()), 4950);
}

TEST_P(Partitioned, PlacementCountsEveryByteOfEveryPart) {
  partitioned<numbers> data(nodes_, 3, [](std::size_t, std::pmr::memory_resource* memory) {
    return numbers(50000, 1, memory);
  });
  const std::vector<part_placement> where = data.placement();
  ASSERT_EQ(where.size(), 3u);
  for (const part_placement& part : where) {
    std::size_t bytes = part.where.untouched + part.where.unknown;
    for (const auto& [node, count] : part.where.bytes_on) bytes += count;
    EXPECT_EQ(part.node, data.owner(part.part));
    EXPECT_GE(bytes, 200000u);
  }
}

TEST(PartitionedOnOneNode, AsksInTheCallerAndCopiesNothing) {
  for (const backend by : {backend::pinned_pool, backend::arenas}) {
#ifdef __SANITIZE_THREAD__
    if (by == backend::arenas) continue;
#endif
    runtime_options options;
    options.run_by = by;
    options.execution.threads_per_node = 1;
    runtime nodes(topology::parse("node:1 core:1 pu:1"), options);
    const int* made = nullptr;
    const partitioned<numbers> data(nodes, [&](std::size_t, std::pmr::memory_resource* memory) {
      numbers mine(100, 1, memory);
      made = mine.data();
      return mine;
    });
    EXPECT_EQ(data[0].data(), made);
    const std::vector<int> queries{1, 2, 3};
    const std::vector<std::thread::id> who = data.map_reduce_batch(
        queries, [](const numbers&, const int&) { return std::this_thread::get_id(); },
        [](std::thread::id a, std::thread::id) { return a; });
    EXPECT_EQ(who, std::vector<std::thread::id>(3, std::this_thread::get_id()));
  }
}

TEST(PlanRebalance, MovesFewPartsAndEvensOut) {
  const std::vector<double> load{4, 3, 2, 1};
  const std::vector<std::size_t> now{0, 0, 0, 0};
  const rebalance_plan plan = plan_rebalance(load, now, 2);
  EXPECT_EQ(plan.heaviest_before, 10);
  EXPECT_LE(plan.heaviest_after, 6);
  EXPECT_LE(plan.moves, 2u);
}

TEST(PlanRebalance, LeavesWhatIsEvenAlone) {
  const rebalance_plan plan =
      plan_rebalance(std::vector<double>{1, 1}, std::vector<std::size_t>{0, 1}, 2);
  EXPECT_EQ(plan.moves, 0u);
}

TEST(PlanRebalance, RefusesLoadsThatAreNone) {
  EXPECT_THROW(plan_rebalance(std::vector<double>{-1}, std::vector<std::size_t>{0}, 2),
               std::invalid_argument);
  EXPECT_THROW(plan_rebalance(std::vector<double>{1, 2}, std::vector<std::size_t>{0}, 2),
               std::invalid_argument);
}

}  // namespace
}  // namespace numatch
