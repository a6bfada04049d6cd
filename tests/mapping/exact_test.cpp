// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mapping/fuzzed_request.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/limits.hpp"
#include "mapping/patterns.hpp"
#include "support/expect_text.hpp"

namespace numatch {
namespace {

double cost_by(const char* algorithm, const mapping_request& request) {
  return map_threads(**find_algorithm(algorithm), request).value().cost;
}

/// The least cost of all mappings that keep the limits, by trying each.
double least_cost(const mapping_request& request) {
  const pu_tree tree(request.machine, request.allowed);
  const load_limits limits = limits_of(request, tree);
  std::vector<std::uint32_t> leaf_of(request.sharing.size(), 0);
  double least = std::numeric_limits<double>::infinity();
  for (;;) {
    if (keeps_limits(leaf_of, request, tree, limits)) {
      least =
          std::min(least, mapping_cost(request.sharing, pus_of(leaf_of, tree), request.distances));
    }
    std::size_t t = 0;
    while (t < leaf_of.size() && ++leaf_of[t] == tree.size()) leaf_of[t++] = 0;
    if (t == leaf_of.size()) return least;
  }
}

/// Distances between the PUs of a drawn machine that need not follow its tree.
distance_table draw_distances(std::size_t pus) {
  std::vector<double> cells(pus * pus);
  for (std::size_t a = 0; a < pus; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      cells[a * pus + b] = cells[b * pus + a] = *rc::gen::inRange(0, 20);
    }
  }
  return distance_table::from_cells(pus, std::move(cells)).value();
}

RC_GTEST_PROP(Exact, IsTheBestOfAllMappings, ()) {
  fuzzed_case drawn = draw_case(6, {true, true, true, false});
  const std::size_t leaves = pu_tree(drawn.machine, drawn.allowed).size();
  RC_PRE(std::pow(leaves, drawn.sharing.size()) <= 50'000);
  if (chance(30)) drawn.distances = draw_distances(drawn.machine.pu_count());
  RC_ASSERT(cost_by("exact", drawn.request()) == least_cost(drawn.request()));
}

RC_GTEST_PROP(Exact, NoAlgorithmIsBetter, ()) {
  const fuzzed_case drawn = draw_case(7, {true, true, true, false});
  const double least = cost_by("exact", drawn.request());
  for (const mapping_algorithm* algorithm : all_algorithms()) {
    RC_ASSERT(cost_by(std::string(algorithm->name).c_str(), drawn.request()) >= least);
  }
}

RC_GTEST_PROP(Exact, RelabelledThreadsCostTheSame, ()) {
  fuzzed_case drawn = draw_case(6, {true, false, false, false});
  const double least = cost_by("exact", drawn.request());
  const std::size_t threads = drawn.sharing.size();
  std::vector<std::size_t> label(threads);
  std::iota(label.begin(), label.end(), std::size_t{0});
  for (std::size_t i = threads; i > 1; --i) {
    std::swap(label[i - 1], label[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  sharing_matrix relabelled(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    for (std::size_t j = 0; j < threads; ++j) {
      relabelled.set(label[i], label[j], drawn.sharing.at(i, j));
    }
  }
  drawn.sharing = relabelled;
  RC_ASSERT(cost_by("exact", drawn.request()) == least);
}

TEST(Exact, SolvesADozenThreads) {
  // A ring over two nodes of three cores of two PUs: 6 pairs, 4 steps between cores, 2 between
  // nodes.
  EXPECT_EQ(map("exact", ring(12), machine("numa:2 core:3 pu:2")).cost, 6 * 2 + 4 * 4 + 2 * 6);
}

TEST(Exact, SaysWhenItWouldTakeTooLong) {
  const topology where = machine("numa:4 core:8 pu:1");
  const distance_table distances(where);
  sharing_matrix sharing(24);
  for (unsigned i = 0; i < 24; ++i) {
    for (unsigned j = 0; j < i; ++j) sharing.set(i, j, 100 + (i * 31 + j * 17) % 41);
  }
  const result<mapping_answer> answer =
      map_threads(**find_algorithm("exact"), {sharing, where, distances});
  ASSERT_FALSE(answer);
  EXPECT_TRUE(contains(answer.error().message(), "exact: 24 threads on 32 PUs take more than"));
}

}  // namespace
}  // namespace numatch
