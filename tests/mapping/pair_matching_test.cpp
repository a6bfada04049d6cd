// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/pair_matching.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "mapping/edmonds.hpp"
#include "mapping/engine/path_order.hpp"

namespace numatch::engine {
namespace {

/// What the pairs of a matcher share.
std::int64_t weight_of(const pair_matcher& matcher, const thread_graph& graph) {
  std::int64_t sum = 0;
  for (std::size_t p = 0; p < matcher.members().size(); p += 2) {
    sum += graph.row(matcher.members()[p])[matcher.members()[p + 1]];
  }
  return sum;
}

void expect_everyone_once(const pair_matcher& matcher, std::size_t vertices) {
  RC_ASSERT(matcher.members().size() == vertices);
  std::vector<std::uint32_t> pairs_of(vertices, 0);
  for (std::uint32_t i = 0; i < vertices; ++i) {
    ++pairs_of[matcher.members()[i]];
    RC_ASSERT(matcher.pair_of()[matcher.members()[i]] == i / 2);
  }
  RC_ASSERT(pairs_of == std::vector<std::uint32_t>(vertices, 1));
}

/// Threads in lines of random lengths and amounts, numbered at random; nothing between the lines.
thread_graph draw_lines(std::size_t threads) {
  std::vector<std::uint32_t> number(threads);
  std::iota(number.begin(), number.end(), 0U);
  for (std::size_t i = threads; i > 1; --i) {
    std::swap(number[i - 1], number[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  sharing_matrix sharing(threads);
  for (std::size_t i = 0; i + 1 < threads; ++i) {
    sharing.set(number[i], number[i + 1], *rc::gen::inRange(0, 4));
  }
  thread_graph graph;
  graph.load(sharing, threads);
  graph.make_rows();
  return graph;
}

TEST(PairMatcher, PairsLinesAsAGreatestMatchingDoes) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t threads = 2 * *rc::gen::inRange<std::size_t>(1, 20);
    const thread_graph graph = draw_lines(threads);
    std::vector<weighted_pair> pairs;
    for (std::uint32_t v = 0; v < threads; ++v) {
      for (const thread_graph::edge& e : graph.edges_of(v)) {
        if (v < e.to) pairs.push_back({v, e.to, static_cast<double>(e.weight)});
      }
    }
    const std::vector<std::uint32_t> mate = heaviest_matching(threads, pairs);
    std::int64_t greatest = 0;
    for (std::uint32_t v = 0; v < threads; ++v) {
      if (mate[v] != no_mate && v < mate[v]) greatest += graph.row(v)[mate[v]];
    }
    std::vector<std::uint32_t> line(threads);
    path_order(threads).line_up(graph, line);
    pair_matcher matcher(threads);
    matcher.match_along(graph, line);
    expect_everyone_once(matcher, threads);
    RC_ASSERT(weight_of(matcher, graph) == greatest);
  }));
}

TEST(PairMatcher, LocallyHeaviestPairsAreAtLeastHalfOfAGreatestMatching) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t threads = 2 * *rc::gen::inRange<std::size_t>(1, 20);
    const thread_graph graph = draw_lines(threads);
    std::vector<std::uint32_t> line(threads);
    path_order(threads).line_up(graph, line);
    pair_matcher matcher(threads);
    matcher.match_along(graph, line);
    const std::int64_t greatest = weight_of(matcher, graph);
    random_source random(*rc::gen::inRange<std::uint64_t>(1, 100));
    matcher.match(graph, random);
    expect_everyone_once(matcher, threads);
    RC_ASSERT(2 * weight_of(matcher, graph) >= greatest);
  }));
}

}  // namespace
}  // namespace numatch::engine
