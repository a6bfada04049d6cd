// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/circle_start.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/patterns.hpp"

namespace numatch::engine {
namespace {

/// Chains of given lengths on 32 PUs; the threads of each are far apart in number.
class CircleStart : public testing::Test {
 protected:
  static constexpr std::size_t threads = 32;
  static std::size_t name(std::size_t place) { return place * 11 % threads; }

  void chains(const std::vector<std::size_t>& lengths) {
    chain_of_.assign(threads, 0);
    first_.clear();
    std::size_t place = 0;
    for (const std::size_t length : lengths) {
      for (std::size_t i = 0; i < length; ++i) {
        chain_of_[name(place + i)] = first_.size();
        if (i > 0) sharing_.add(name(place + i - 1), name(place + i), 100);
      }
      first_.push_back(name(place));
      place += length;
    }
  }
  bool place(const char* spec) {
    const topology where = machine(spec);
    const pu_tree tree(where, {});
    const std::vector<std::uint32_t> slots(threads, 1);
    const slot_tree places(tree, costs_by_level(where, distance_table(where)), slots);
    thread_graph graph;
    graph.load(sharing_, threads);
    tree_cutter cutter(places, threads);
    random_source random(1);
    vertex_at_.assign(threads, 0);
    if (!circle_start(places).place(graph, cutter, random, vertex_at_)) return false;
    std::vector<std::uint32_t> sorted = vertex_at_;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t v = 0; v < threads; ++v) EXPECT_EQ(sorted[v], v);
    return true;
  }
  /// The half of the machine that each chain is in; 2: it is cut.
  std::vector<int> halves() const {
    std::vector<int> of(first_.size(), -1);
    for (std::size_t slot = 0; slot < threads; ++slot) {
      int& half = of[chain_of_[vertex_at_[slot]]];
      const int here = slot < threads / 2 ? 0 : 1;
      half = half == -1 || half == here ? here : 2;
    }
    return of;
  }

  sharing_matrix sharing_{threads};
  std::vector<std::size_t> chain_of_;
  std::vector<std::size_t> first_;  ///< a thread of each chain
  std::vector<std::uint32_t> vertex_at_;
};

TEST_F(CircleStart, KeepsCirclesWholeWhereTheirSizesAddUp) {
  chains({5, 7, 9, 11});
  ASSERT_TRUE(place("numa:2 core:16 pu:1"));
  EXPECT_EQ(halves(), (std::vector<int>{0, 1, 1, 0}));
}

TEST_F(CircleStart, TakesTheWayThatCutsLeast) {
  chains({8, 8, 8, 8});
  sharing_.add(first_[0], first_[2], 10);
  sharing_.add(first_[1], first_[3], 10);
  sharing_.add(first_[0], first_[3], 5);
  ASSERT_TRUE(place("numa:2 core:16 pu:1"));
  EXPECT_EQ(halves(), (std::vector<int>{0, 1, 0, 1}));
}

TEST_F(CircleStart, CutsFartherDownWhatFitsOnlyOnTheWidestParts) {
  chains({16, 6, 6, 4});
  ASSERT_TRUE(place("numa:4 core:8 pu:1"));
  EXPECT_EQ(halves(), (std::vector<int>{0, 1, 1, 1}));
}

TEST_F(CircleStart, DeclinesWhenTheSizesDoNotAddUp) {
  chains({15, 17});
  EXPECT_FALSE(place("numa:2 core:16 pu:1"));
}

TEST_F(CircleStart, DeclinesOneCircleAndMoreThanItCanLookAt) {
  chains({32});
  EXPECT_FALSE(place("numa:2 core:16 pu:1"));
  sharing_ = sharing_matrix(threads);
  chains(std::vector<std::size_t>(16, 2));
  EXPECT_FALSE(place("numa:2 core:16 pu:1"));
}

}  // namespace
}  // namespace numatch::engine
