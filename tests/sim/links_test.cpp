// SPDX-License-Identifier: Apache-2.0
#include "sim/links.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

namespace numatch::sim {
namespace {

/// The nodes that a route leads through, its start included.
std::vector<unsigned> way(const connections& network, unsigned from, unsigned to) {
  std::vector<unsigned> nodes{from};
  for (const unsigned link : network.route[from][to]) {
    EXPECT_EQ(network.links[link].from, nodes.back());
    nodes.push_back(network.links[link].to);
  }
  EXPECT_EQ(nodes.back(), to);
  return nodes;
}

using nodes = std::vector<unsigned>;

TEST(Links, ARingGoesTheShorterWay) {
  const connections five = ring(5, {});
  EXPECT_EQ(five.links.size(), 10U);
  EXPECT_EQ(way(five, 0, 1), (nodes{0, 1}));
  EXPECT_EQ(way(five, 0, 2), (nodes{0, 1, 2}));
  EXPECT_EQ(way(five, 0, 3), (nodes{0, 4, 3}));
  EXPECT_EQ(way(five, 4, 1), (nodes{4, 0, 1}));
  EXPECT_TRUE(five.route[2][2].empty());
}

TEST(Links, OfTwoEqualWaysARingTakesTheOneTowardsLowerNumbers) {
  const connections four = ring(4, {});
  EXPECT_EQ(four.links.size(), 8U);
  EXPECT_EQ(way(four, 3, 1), (nodes{3, 2, 1}));
  EXPECT_EQ(way(four, 2, 0), (nodes{2, 1, 0}));
  EXPECT_EQ(way(four, 1, 3), (nodes{1, 0, 3}));
  EXPECT_EQ(way(four, 0, 2), (nodes{0, 3, 2}));
}

TEST(Links, ARingOfTwoHasOneLinkEachWayAndOfOneNone) {
  const connections two = ring(2, {});
  EXPECT_EQ(two.links.size(), 2U);
  EXPECT_EQ(way(two, 0, 1), (nodes{0, 1}));
  EXPECT_EQ(way(two, 1, 0), (nodes{1, 0}));
  EXPECT_TRUE(ring(1, {}).links.empty());
}

TEST(Links, AMeshGoesTheWholeFirstDimensionThenTheNext) {
  // 0 1 2 3
  // 4 5 6 7
  const connections grid = mesh({4, 2}, {});
  EXPECT_EQ(grid.links.size(), 20U);
  EXPECT_EQ(way(grid, 0, 7), (nodes{0, 1, 2, 3, 7}));
  EXPECT_EQ(way(grid, 7, 0), (nodes{7, 6, 5, 4, 0}));
  EXPECT_EQ(way(grid, 6, 1), (nodes{6, 5, 1}));
  const connections cube = mesh({2, 2, 2}, {});
  EXPECT_EQ(way(cube, 0, 7), (nodes{0, 1, 3, 7}));
}

TEST(Links, FullConnectionsHaveTheirOwnLatencies) {
  link_config link;
  link.bytes_per_cycle = 7;
  const connections three = full({{0, 10, 20}, {30, 0, 40}, {50, 60, 0}}, link);
  EXPECT_EQ(three.links.size(), 6U);
  EXPECT_EQ(way(three, 2, 1), (nodes{2, 1}));
  EXPECT_EQ(three.links[three.route[2][1].front()].latency, 60U);
  EXPECT_EQ(three.links[three.route[1][2].front()].latency, 40U);
  EXPECT_EQ(three.links[three.route[1][2].front()].bytes_per_cycle, 7);
}

RC_GTEST_PROP(LinksProperty, ARouteOfARingIsNeverLongerThanHalfOfIt, ()) {
  const unsigned count = *rc::gen::inRange(1U, 65U);
  const connections network = ring(count, {});
  const unsigned from = *rc::gen::inRange(0U, count);
  const unsigned to = *rc::gen::inRange(0U, count);
  RC_ASSERT(network.route[from][to].size() <= count / 2);
  unsigned at = from;
  for (const unsigned link : network.route[from][to]) {
    RC_ASSERT(network.links[link].from == at);
    at = network.links[link].to;
  }
  RC_ASSERT(at == to);
}

RC_GTEST_PROP(LinksProperty, ARouteOfAMeshIsAsLongAsTheStepsInItsDimensions, ()) {
  const unsigned columns = *rc::gen::inRange(1U, 9U);
  const unsigned rows = *rc::gen::inRange(1U, 9U);
  const connections network = mesh({columns, rows}, {});
  const int from = *rc::gen::inRange(0, static_cast<int>(columns * rows));
  const int to = *rc::gen::inRange(0, static_cast<int>(columns * rows));
  const int width = static_cast<int>(columns);
  const int steps = std::abs(from % width - to % width) + std::abs(from / width - to / width);
  const std::size_t length =
      network.route[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)].size();
  RC_ASSERT(length == static_cast<std::size_t>(steps));
}

}  // namespace
}  // namespace numatch::sim
