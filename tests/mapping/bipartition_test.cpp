// SPDX-License-Identifier: Apache-2.0
#include "mapping/engine/bipartition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "mapping/engine/few_cut.hpp"

namespace numatch::engine {
namespace {

/// A graph in which a pair shares something now and then, and what its vertices are pulled by.
struct drawn_set {
  thread_graph graph;
  std::vector<std::int32_t> pull;

  drawn_set(std::size_t count, std::uint64_t seed) {
    random_source random(seed);
    sharing_matrix sharing(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        sharing.set(i, j, random.below(3) == 0 ? 0 : random.below(9));
    }
    sharing.set(0, 1, 10);
    graph.load(sharing, count);
    graph.make_rows();
    for (std::size_t i = 0; i < count; ++i) {
      pull.push_back(static_cast<std::int32_t>(random.below(1 << 18)) - (1 << 17));
    }
  }
  /// What is cut, and what the vertices of side b pay because of others.
  std::int64_t cost(unsigned in_a) const {
    std::int64_t sum = 0;
    for (std::size_t v = 0; v < graph.size(); ++v) {
      if ((in_a >> v & 1U) == 0) sum += pull[v];
      for (const thread_graph::edge& e : graph.edges_of(v)) {
        if (e.to > v && ((in_a >> v ^ in_a >> e.to) & 1U) != 0) sum += e.weight;
      }
    }
    return sum;
  }
};

unsigned bits_of(std::span<const std::uint32_t> vertices) {
  unsigned bits = 0;
  for (const std::uint32_t v : vertices) bits |= 1U << v;
  return bits;
}

TEST(Bipartition, CutsFewVerticesAsWellAsCanBe) {
  for (std::size_t count = 2; count <= few_to_cut; ++count) {
    for (std::size_t size_a = 1; size_a < count; ++size_a) {
      const drawn_set set(count, 10 * count + size_a);
      std::vector<std::uint32_t> part(count);
      std::iota(part.begin(), part.end(), 0U);
      random_source random(1);
      bipartitioner(count, count).cut(set.graph, part, set.pull, size_a, {1, 0}, random);
      std::int64_t least = set.cost(bits_of(std::span(part).first(size_a)));
      const std::int64_t found = least;
      for (unsigned bits = 0; bits < 1U << count; ++bits) {
        if (static_cast<std::size_t>(std::popcount(bits)) == size_a) {
          least = std::min(least, set.cost(bits));
        }
      }
      EXPECT_EQ(found, least) << size_a << " of " << count;
    }
  }
}

TEST(Bipartition, ChoosesAnyOfTheBestCutsOfFewVertices) {
  sharing_matrix square(4);
  for (std::size_t i = 0; i < 4; ++i) square.set(i, (i + 1) % 4, 1);
  thread_graph graph;
  graph.load(square, 4);
  graph.make_rows();
  bipartitioner cutter(4, 4);
  random_source random(1);
  std::vector<unsigned> seen;
  for (int tries = 0; tries < 50; ++tries) {
    std::vector<std::uint32_t> part{0, 1, 2, 3};
    cutter.cut(graph, part, {}, 2, {1, 0}, random);
    seen.push_back(bits_of(std::span(part).first(2)));
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, (std::vector<unsigned>{0b0011, 0b0110, 0b1001, 0b1100}));
}

TEST(Bipartition, CutsALongChainInFewPlaces) {
  constexpr std::size_t count = 600;
  sharing_matrix chain(count);
  for (std::size_t i = 0; i + 1 < count; ++i) chain.set(i * 7 % 600, (i + 1) * 7 % 600, 1);
  thread_graph graph;
  graph.load(chain, count);
  std::vector<std::uint32_t> part(count);
  std::iota(part.begin(), part.end(), 0U);
  random_source random(1);
  bipartitioner(count, count).cut(graph, part, {}, count / 2, {0, 3}, random);
  ASSERT_TRUE(graph.is_sparse());
  std::vector<bool> in_a(count);
  for (const std::uint32_t v : std::span(part).first(count / 2)) in_a[v] = true;
  std::size_t cut = 0;
  for (std::uint32_t v = 0; v < count; ++v) {
    for (const thread_graph::edge& e : graph.edges_of(v)) cut += in_a[v] != in_a[e.to] ? 1 : 0;
  }
  EXPECT_LE(cut / 2, 6U);
  EXPECT_EQ(std::count(in_a.begin(), in_a.end(), true), 300);
}

}  // namespace
}  // namespace numatch::engine
