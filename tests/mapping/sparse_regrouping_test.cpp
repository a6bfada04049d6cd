// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/sparse_regrouping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/engine/sparse_descent.hpp"
#include "mapping/patterns.hpp"

namespace numatch::engine {
namespace {

/// A ring of threads on four nodes of eight cores of two PUs, placed in an order that tells
/// nothing.
class SparseRegrouping : public testing::Test {
 protected:
  static constexpr std::size_t threads = 64;

  SparseRegrouping() {
    graph_.load(ring(threads), threads);
    for (std::uint32_t slot = 0; slot < threads; ++slot) vertex_at_.push_back(slot * 37 % threads);
  }
  std::int64_t cost() { return sparse_descent(places_).cost(graph_, vertex_at_); }
  void improve(std::uint64_t rounds, std::uint64_t seed) {
    tree_cutter cutter(places_, threads);
    random_source random(seed);
    sparse_regrouping(places_).improve(graph_, vertex_at_, cutter, rounds, 32, random);
  }

  topology where_ = machine("numa:4 core:8 pu:2");
  distance_table distances_{where_};
  pu_tree tree_{where_, {}};
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(threads, 1);
  slot_tree places_{tree_, costs_by_level(where_, distances_), slots_};
  thread_graph graph_;
  std::vector<std::uint32_t> vertex_at_;
};

TEST_F(SparseRegrouping, NeverCostsMoreAndKeepsEveryVertex) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::int64_t before = cost();
    improve(3, seed);
    ASSERT_LE(cost(), before);
    std::vector<std::uint32_t> sorted = vertex_at_;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t v = 0; v < threads; ++v) ASSERT_EQ(sorted[v], v);
  }
}

TEST_F(SparseRegrouping, FindsMostOfARing) {
  // Where neighbours share a core or are on neighbouring ones, only the borders are paid for.
  std::vector<std::uint32_t> in_order(threads);
  std::iota(in_order.begin(), in_order.end(), 0U);
  const std::int64_t least = sparse_descent(places_).cost(graph_, in_order);
  EXPECT_GT(cost(), 2 * least);
  improve(2000, 1);
  EXPECT_LT(cost(), least + least / 4);
}

TEST_F(SparseRegrouping, LeavesAPlacementThatCannotBeBetter) {
  std::iota(vertex_at_.begin(), vertex_at_.end(), 0U);
  const std::int64_t least = cost();
  improve(500, 1);
  EXPECT_EQ(cost(), least);
}

}  // namespace
}  // namespace numatch::engine
