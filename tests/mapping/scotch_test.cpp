// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "mapping/bisection.hpp"
#include "mapping/patterns.hpp"
#include "mapping/sharing_graph.hpp"

namespace numatch {
namespace {

sharing_matrix noise(std::size_t threads, unsigned seed, double scale) {
  std::mt19937 random(seed);
  sharing_matrix matrix(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < threads; ++j) {
      if (i != j) matrix.set(i, j, scale * static_cast<double>(random() % 1000));
    }
  }
  return matrix;
}

TEST(Scotch, PutsClustersOnNodes) {
  const topology where = machine("numa:4 core:4 pu:1");
  const mapping_answer answer = map("scotch", clusters(16, 4), where);
  EXPECT_EQ(share_in_node(clusters(16, 4), answer.mapping, where), 1);
  EXPECT_EQ(answer.cost, 4 * 6 * 10 * 2) << "4 nodes of 6 pairs with 10 each at distance 2";
}

TEST(Scotch, CutsARingAsOftenAsThereAreNodes) {
  const topology where = machine("numa:4 core:2 pu:1");
  EXPECT_EQ(map("scotch", ring(8), where).cost, 4 * 2 + 4 * 4);
}

TEST(Scotch, KeepsPairsTogetherOnAnUnevenMachine) {
  const topology where = machine(NUMATCH_SOURCE_DIR "/tests/topology/data/uneven_packages.xml");
  const mapping_answer answer = map("scotch", clusters(10, 5), where);
  EXPECT_EQ(answer.cost, 5 * 10 * 2) << "every pair on the two PUs of one core";
}

TEST(Scotch, FewThreadsThatShareStayTogether) {
  const topology where = machine("numa:4 core:8 pu:1");
  for (const std::size_t threads : {2U, 4U, 7U}) {
    const mapping_answer answer = map("scotch", clusters(threads, 1), where);
    EXPECT_EQ(share_in_node(clusters(threads, 1), answer.mapping, where), 1) << threads;
  }
}

TEST(Scotch, SeesBothDirectionsOfAnAsymmetricMatrix) {
  // Only the later thread of each pair noticed the sharing.
  sharing_matrix sharing(4);
  sharing.set(2, 0, 7);
  sharing.set(3, 1, 7);
  EXPECT_EQ(map("scotch", sharing, machine("numa:2 core:2 pu:1")).cost, 2 * 7 * 2);
}

TEST(Scotch, TheSameSeedGivesTheSameMapping) {
  const topology where = machine("xeon64");
  const sharing_matrix sharing = noise(64, 3, 1);
  const thread_mapping first = map("scotch", sharing, where, 5).mapping;
  for (int again = 0; again < 5; ++again) {
    EXPECT_EQ(map("scotch", sharing, where, 5).mapping.pu_of, first.pu_of);
  }
}

TEST(Scotch, SeveralThreadsMayMapAtOnce) {
  const topology where = machine("xeon32");
  std::vector<thread_mapping> alone;
  for (unsigned i = 0; i < 4; ++i) alone.push_back(map("scotch", noise(32, i, 1), where).mapping);
  std::vector<thread_mapping> together(4);
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < 4; ++i) {
    workers.emplace_back([&, i] {
      for (int again = 0; again < 3; ++again) {
        together[i] = map("scotch", noise(32, i, 1), where).mapping;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(together[i].pu_of, alone[i].pu_of);
}

TEST(Scotch, TheUnitOfTheMatrixDoesNotMatter) {
  const topology where = machine("numa:4 core:8 pu:1");
  for (const double unit : {1e-300, 1e-6, 1e9, 1e300}) {
    sharing_matrix scaled = clusters(32, 4);
    scaled.scale(unit);
    const mapping_answer answer = map("scotch", scaled, where);
    EXPECT_EQ(share_in_node(scaled, answer.mapping, where), 1) << unit;
  }
}

TEST(Scotch, IsNearTheBestOnARelabelledGrid) {
  // 8 x 8 stencil, relabelled; blocks of 4 x 4 cut 16 of the 112 edges across the four nodes.
  std::vector<std::size_t> label(64);
  std::iota(label.begin(), label.end(), std::size_t{0});
  std::shuffle(label.begin(), label.end(), std::mt19937(1));
  sharing_matrix grid(64);
  for (std::size_t i = 0; i < 64; ++i) {
    if (i % 8 != 7) grid.set(label[i], label[i + 1], 1);
    if (i / 8 != 7) grid.set(label[i], label[i + 8], 1);
  }
  const topology where = machine("numa:4 core:16 pu:1");
  const mapping_answer answer = map("scotch", grid, where);
  EXPECT_GE(share_in_node(grid, answer.mapping, where), 0.8);
}

TEST(Scotch, FollowsTheDistancesOfTheUser) {
  // The tree says 0,1 | 2,3; the distances say 0,2 | 1,3.
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table crossed =
      distance_table::from_cells(4, {0, 9, 1.5, 9, 9, 0, 9, 1.5, 1.5, 9, 0, 9, 9, 1.5, 9, 0})
          .value();
  const mapping_answer answer =
      map_threads(**find_algorithm("scotch"), {clusters(4, 2), where, crossed, 1}).value();
  EXPECT_EQ(answer.cost, 2 * 10 * 1.5);
}

TEST(Scotch, ZeroDistancesBetweenPusAreAccepted) {
  const topology where = machine("numa:2 core:2 pu:1");
  const distance_table flat = distance_table::from_cells(4, std::vector<double>(16, 0)).value();
  const result<mapping_answer> answer =
      map_threads(**find_algorithm("scotch"), {ring(4), where, flat, 1});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->cost, 0);
}

TEST(Scotch, LargeMachinesWithOwnDistancesFallBackToTheMeanOfALevel) {
  const topology where = machine("numa:32 core:32 pu:1");
  std::vector<double> cells(1024 * 1024, 0);
  for (std::uint32_t a = 0; a < 1024; ++a) {
    for (std::uint32_t b = 0; b < 1024; ++b) {
      cells[a * 1024 + b] = a == b ? 0 : where.distance(pu_id(a), pu_id(b)) + (a + b) % 2;
    }
  }
  const distance_table distances = distance_table::from_cells(1024, std::move(cells)).value();
  const sharing_matrix sharing = clusters(1024, 32);
  const mapping_answer answer =
      map_threads(**find_algorithm("scotch"), {sharing, where, distances, 1}).value();
  EXPECT_GE(share_in_node(sharing, answer.mapping, where), 0.9);
}

TEST(Scotch, FiveThousandThreadsOfADenseMatrix) {
  const std::size_t threads = 5000;
  sharing_matrix sharing = noise(threads, 1, 1);
  const topology where = machine("xeon64");
  const mapping_answer answer = map("scotch", sharing, where);
  EXPECT_EQ(answer.mapping.pu_of.size(), threads);
}

TEST(SharingGraph, KeepsTheHeaviestEdgesOfEveryThread) {
  sharing_matrix sharing(100);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < i; ++j) sharing.set(i, j, i / 2 == j / 2 ? 50 : 1);
  }
  const sharing_graph graph(sharing, 300);
  EXPECT_LE(graph.arcs(), 2U * 300);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::span<const sharing_graph::edge> edges = graph.edges_of(i);
    EXPECT_TRUE(std::any_of(edges.begin(), edges.end(), [&](const sharing_graph::edge& e) {
      return e.to == (i ^ 1U) && e.weight == 50;
    })) << i;
  }
}

TEST(Bisection, NumbersEveryPuInASmallBinaryTree) {
  for (const char* spec : {"numa:4 core:2 pu:1", "numa:3 core:5 pu:1", "numa:7 pu:1"}) {
    const topology where = machine(spec);
    const std::vector<std::uint32_t> number = bisect_by_distance(distance_table(where));
    for (std::uint32_t a = 0; a < number.size(); ++a) {
      EXPECT_LT(number[a], 8 * number.size());
      for (std::uint32_t b = 0; b < a; ++b) {
        EXPECT_NE(number[a], number[b]);
        // No number lies on the way from the root to another one.
        std::uint32_t up = std::max(number[a], number[b]);
        while (up > std::min(number[a], number[b])) up /= 2;
        EXPECT_NE(up, std::min(number[a], number[b]));
      }
    }
  }
}

}  // namespace
}  // namespace numatch
