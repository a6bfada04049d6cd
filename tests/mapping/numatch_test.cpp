// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "mapping/fuzzed_request.hpp"
#include "mapping/patterns.hpp"

// What the default algorithm promises beyond every_algorithm_test.cpp.
namespace numatch {
namespace {

const mapping_algorithm& named(std::string_view name) {
  return **find_algorithm(name);
}

class NumatchBudget : public testing::TestWithParam<mapping_budget> {};

TEST(Numatch, FindsTheOptimumOfSmallProblems) {
  EXPECT_TRUE(rc::check([] {
    const fuzzed_case asked = draw_case(6, {.current = false});
    const mapping_request request = asked.request();
    const result<mapping_answer> best = map_threads(named("exact"), request);
    RC_PRE(best.has_value());
    const result<mapping_answer> found = map_threads(named("numatch"), request);
    RC_ASSERT(found.has_value());
    RC_ASSERT(found->cost == best->cost);
  }));
}

TEST(Numatch, NewNumbersOfThreadsDoNotChangeTheCostOfSmallProblems) {
  EXPECT_TRUE(rc::check([] {
    const fuzzed_case asked = draw_case(6, {.pinned = false, .weights = false, .current = false});
    const std::size_t threads = asked.sharing.size();
    std::vector<std::size_t> order(threads);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = threads; i > 1; --i) {
      std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    fuzzed_case renamed = asked;
    for (std::size_t i = 0; i < threads; ++i) {
      for (std::size_t j = 0; j < threads; ++j) {
        renamed.sharing.set(order[i], order[j], asked.sharing.at(i, j));
      }
    }
    const double before = map_threads(named("numatch"), asked.request())->cost;
    RC_ASSERT(map_threads(named("numatch"), renamed.request())->cost == before);
  }));
}

TEST(Numatch, ExchangingEqualPartsDoesNotChangeTheCostOfSmallProblems) {
  EXPECT_TRUE(rc::check([] {
    const fuzzed_case asked = draw_case(6, {.current = false});
    RC_PRE(!asked.machine.arities().empty());
    // Backwards, every part of an even machine changes places with an equal one.
    const auto mirrored = [&](pu_id pu) {
      return pu_id(static_cast<std::uint32_t>(asked.machine.pu_count() - 1) - pu.value);
    };
    fuzzed_case turned = asked;
    for (pu_id& pu : turned.allowed) pu = mirrored(pu);
    for (std::optional<pu_id>& pin : turned.pinned) {
      if (pin) pin = mirrored(*pin);
    }
    const double before = map_threads(named("numatch"), asked.request())->cost;
    RC_ASSERT(map_threads(named("numatch"), turned.request())->cost == before);
  }));
}

/// A grid of threads, each sharing with its four neighbours, in an order that tells nothing.
sharing_matrix shuffled_grid(std::size_t side) {
  const std::size_t threads = side * side;
  const auto name = [&](std::size_t x, std::size_t y) { return (x * side + y) * 37 % threads; };
  sharing_matrix sharing(threads);
  for (std::size_t x = 0; x < side; ++x) {
    for (std::size_t y = 0; y < side; ++y) {
      if (x + 1 < side) sharing.add(name(x, y), name(x + 1, y), 1);
      if (y + 1 < side) sharing.add(name(x, y), name(x, y + 1), 1);
    }
  }
  return sharing;
}

TEST_P(NumatchBudget, CutsAGridIntoSquares) {
  const topology where = machine("numa:4 core:16 pu:1");
  const distance_table distances(where);
  const sharing_matrix grid = shuffled_grid(8);
  const mapping_answer answer =
      map_threads(named("numatch"), {grid, where, distances, 1, GetParam()}).value();
  // 112 pairs; four squares of 4 x 4 cut 16 of them, which pay 4 instead of 2.
  EXPECT_EQ(answer.cost, 112 * 2 + 16 * 2);
}

TEST_P(NumatchBudget, TheSameSeedGivesTheSameMapping) {
  const topology where = machine("numa:4 core:8 pu:2");
  const distance_table distances(where);
  const sharing_matrix grid = shuffled_grid(8);
  const mapping_request request{grid, where, distances, 7, GetParam()};
  const mapping_answer first = map_threads(named("numatch"), request).value();
  EXPECT_EQ(map_threads(named("numatch"), request)->mapping.pu_of, first.mapping.pu_of);
}

TEST_P(NumatchBudget, MapsThousandsOfThreads) {
  const topology where = machine("numa:8 core:8 pu:2");
  const distance_table distances(where);
  const mapping_answer answer =
      map_threads(named("numatch"), {ring(2048), where, distances, 1, GetParam()}).value();
  // Arcs of 16 threads on a PU: 8 borders of nodes, 56 of cores, 64 of PUs.
  EXPECT_EQ(answer.cost, 8 * 6 + 56 * 4 + 64 * 2);
}

TEST_P(NumatchBudget, KeepsCirclesOfManyThreadsWholeWhereTheirSizesFit) {
  const topology where = machine("numa:8 core:8 pu:2");
  const distance_table distances(where);
  constexpr std::size_t threads = 1024;
  // Circles of 10 and of 6 by turns: one of each fills the two PUs of a core, eight threads each.
  const auto circle_of = [](std::size_t t) { return t / 16 * 2 + (t % 16 < 10 ? 0 : 1); };
  const auto name_of = [](std::size_t t) { return t * 101 % threads; };
  sharing_matrix sharing(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i / 16 * 16; j < i; ++j) {
      if (circle_of(i) == circle_of(j)) sharing.set(name_of(i), name_of(j), 10);
    }
    sharing.add(name_of(i), name_of(i * 7 % threads), 1);
  }
  const mapping_answer answer =
      map_threads(named("numatch"), {sharing, where, distances, 1, GetParam()}).value();
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i / 16 * 16; j < i; ++j) {
      if (circle_of(i) != circle_of(j)) continue;
      ASSERT_EQ(answer.mapping.pu_of[name_of(i)].index() / 2,
                answer.mapping.pu_of[name_of(j)].index() / 2)
          << i << " and " << j;
    }
  }
}

TEST_P(NumatchBudget, MovesAmongThousandsOfThreadsOnlyThoseWhoseMovePays) {
  const topology where = machine("numa:8 core:20 pu:8");
  const distance_table distances(where);
  constexpr std::size_t threads = 1280;
  sharing_matrix sharing = ring(threads);
  mapping_request request{sharing, where, distances, 1, GetParam()};
  const thread_mapping first = map_threads(named("numatch"), request)->mapping;
  // Two threads that are far apart begin to share more than all their neighbours do.
  std::size_t far = 1;
  while (where.node_of(first.pu_of[far]) == where.node_of(first.pu_of[0])) ++far;
  sharing.set(0, far, 1e6);
  request.current = &first;
  request.move_cost = 1e4;
  const mapping_answer next = map_threads(named("numatch"), request).value();
  EXPECT_EQ(where.node_of(next.mapping.pu_of[far]), where.node_of(next.mapping.pu_of[0]));
  EXPECT_EQ(next.moved, 2U);
}

std::string name_of(const testing::TestParamInfo<mapping_budget>& budget) {
  switch (budget.param) {
    case mapping_budget::online:
      return "online";
    case mapping_budget::standard:
      return "default";
    case mapping_budget::best:
      break;
  }
  return "best";
}

INSTANTIATE_TEST_SUITE_P(Mapping, NumatchBudget,
                         testing::Values(mapping_budget::online, mapping_budget::standard,
                                         mapping_budget::best),
                         name_of);

TEST(Numatch, TheBestBudgetIsNeverWorseThanTheDefault) {
  EXPECT_TRUE(rc::check([] {
    const fuzzed_case asked = draw_case(12, {.current = false});
    mapping_request request = asked.request();
    const double standard = map_threads(named("numatch"), request)->cost;
    request.budget = mapping_budget::best;
    RC_ASSERT(map_threads(named("numatch"), request)->cost <= standard);
  }));
}

/// Circles of eight that share a lot, each with a weak link to the next one.
sharing_matrix circles(std::size_t threads) {
  const auto name = [&](std::size_t t) { return t * 37 % threads; };
  sharing_matrix sharing(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = i + 1; j < threads && j / 8 == i / 8; ++j) {
      sharing.add(name(i), name(j), 100);
    }
    if (i % 8 == 7 && i + 1 < threads) sharing.add(name(i), name(i + 1), 1);
  }
  return sharing;
}

TEST(Numatch, TheBestBudgetIsNeverWorseThanGreatestMatchings) {
  const topology where = machine("numa:2 package:4 core:8 pu:2");
  const distance_table distances(where);
  for (const std::size_t threads : {48U, 128U, 256U}) {
    const sharing_matrix sharing = circles(threads);
    mapping_request request{.sharing = sharing, .machine = where, .distances = distances};
    request.policy = fill_policy::pack;
    const double matched = map_threads(named("matching"), request)->cost;
    request.budget = mapping_budget::best;
    EXPECT_LE(map_threads(named("numatch"), request)->cost, matched);
  }
}

/// A matrix whose amounts differ by up to `percent` from another.
sharing_matrix with_noise(const sharing_matrix& sharing, int percent) {
  std::uint32_t state = 12345;
  sharing_matrix noisy(sharing.size());
  for (std::size_t i = 0; i < sharing.size(); ++i) {
    for (std::size_t j = 0; j < sharing.size(); ++j) {
      state = state * 1664525 + 1013904223;
      const double change = static_cast<double>(state >> 8U) / (1 << 23) - 1;
      noisy.set(i, j, sharing.at(i, j) * (1 + change * percent / 100));
    }
  }
  return noisy;
}

TEST(Numatch, SmallChangesOfTheMatrixMoveNobodyOutOfAGoodMapping) {
  const topology where = machine("numa:4 core:8 pu:2");
  const distance_table distances(where);
  const sharing_matrix grid = shuffled_grid(8);
  const mapping_answer now = map_threads(named("numatch"), {grid, where, distances}).value();
  const sharing_matrix noisy = with_noise(grid, 5);
  mapping_request again{.sharing = noisy, .machine = where, .distances = distances};
  again.current = &now.mapping;
  for (const mapping_budget budget : {mapping_budget::online, mapping_budget::standard}) {
    again.budget = budget;
    again.move_cost = stable_move_cost(again);
    EXPECT_LE(map_threads(named("numatch"), again)->moved, 8U);
  }
}

TEST(Numatch, NobodyMovesWhenTheGainDoesNotPayForTheMoves) {
  EXPECT_TRUE(rc::check([] {
    const fuzzed_case asked = draw_case(16, {.allowed = false, .pinned = false, .weights = false});
    mapping_request request = asked.request();
    request.current = nullptr;
    request.move_cost = 0;
    const mapping_answer now = map_threads(named("random"), request).value();
    request.current = &now.mapping;
    request.move_cost = now.cost + 1;  // more than anything can gain
    RC_ASSERT(map_threads(named("numatch"), request)->moved == 0U);
  }));
}

TEST(Numatch, EveryMoveOfARemappingIsPaidFor) {
  EXPECT_TRUE(rc::check([] {
    const fuzzed_case asked = draw_case(16, {.allowed = false, .pinned = false, .weights = false});
    mapping_request request = asked.request();
    request.current = nullptr;
    request.move_cost = 0;
    const mapping_answer now = map_threads(named("random"), request).value();
    request.current = &now.mapping;
    request.move_cost = now.cost / 50;
    const mapping_answer next = map_threads(named("numatch"), request).value();
    if (next.moved > 0) RC_ASSERT(next.gain > request.move_cost * static_cast<double>(next.moved));
  }));
}

}  // namespace
}  // namespace numatch
