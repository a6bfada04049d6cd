// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "mapping/fuzzed_request.hpp"
#include "mapping/leaf_mapping.hpp"
#include "mapping/limits.hpp"
#include "mapping/patterns.hpp"

// What all algorithms promise.
namespace numatch {
namespace {

class EveryAlgorithm : public testing::TestWithParam<const mapping_algorithm*> {
 protected:
  bool has_no_limit_of_size() const { return GetParam()->name != "exact"; }
};

TEST_P(EveryAlgorithm, GivesEveryThreadAPuOfItsOwnWhileThereAreEnough) {
  const std::string folder = NUMATCH_SOURCE_DIR "/tests/topology/data/";
  for (const std::string& spec :
       {std::string("numa:4 core:2 pu:1"), std::string("numa:1 pu:1"), std::string("xeon32"),
        folder + "uneven_packages.xml", folder + "restricted_cpuset.xml"}) {
    const topology where = machine(spec.c_str());
    const distance_table distances(where);
    for (const std::size_t threads : {1U, 2U, 5U, 8U, 10U, 31U, 32U, 33U, 100U}) {
      if (!has_no_limit_of_size() && threads > 5) continue;
      const sharing_matrix shapes[] = {ring(threads), clusters(threads, 3),
                                       sharing_matrix(threads)};
      for (const sharing_matrix& sharing : shapes) {
        const result<mapping_answer> answer = map_threads(*GetParam(), {sharing, where, distances});
        ASSERT_TRUE(answer) << spec << ", " << threads << ": " << answer.error().message();
        if (threads > where.pu_count()) continue;
        const std::set<pu_id> used(answer->mapping.pu_of.begin(), answer->mapping.pu_of.end());
        EXPECT_EQ(used.size(), threads) << "a PU of its own for every thread";
      }
    }
  }
}

TEST_P(EveryAlgorithm, SharesFewerAllowedPusThanThreadsEvenly) {
  const topology where = machine("numa:2 core:4 pu:1");
  const distance_table distances(where);
  const sharing_matrix sharing = ring(5);
  const std::vector<pu_id> allowed{pu_id(6), pu_id(3)};
  mapping_request request{.sharing = sharing, .machine = where, .distances = distances};
  request.allowed = allowed;
  const std::vector<pu_id> found = map_threads(*GetParam(), request).value().mapping.pu_of;
  const std::ptrdiff_t on_3 = std::count(found.begin(), found.end(), pu_id(3));
  const std::ptrdiff_t on_6 = std::count(found.begin(), found.end(), pu_id(6));
  EXPECT_EQ(on_3 + on_6, 5);
  EXPECT_LE(std::max(on_3, on_6), 3);
}

/// The cost as docs/mapping.md writes it, with the distances of the tree from the PUs' ways.
double cost_by_hand(const fuzzed_case& asked, const thread_mapping& mapping) {
  double cost = 0;
  for (std::size_t i = 0; i < asked.sharing.size(); ++i) {
    for (std::size_t j = 0; j < asked.sharing.size(); ++j) {
      if (i == j) continue;
      const std::vector<unsigned>& a = asked.machine.path(mapping.pu_of[i]);
      const std::vector<unsigned>& b = asked.machine.path(mapping.pu_of[j]);
      std::size_t common = 0;
      while (common < a.size() && a[common] == b[common]) ++common;
      cost += asked.sharing.at(i, j) * 2 * static_cast<double>(a.size() - common);
    }
  }
  return cost;
}

/// Draws a request, small where the algorithm is `exact`.
fuzzed_case draw_for(const mapping_algorithm& algorithm) {
  return draw_case(algorithm.name == "exact" ? 5 : 20);
}

TEST_P(EveryAlgorithm, KeepsTheLimitsAndReportsTheCost) {
  EXPECT_TRUE(rc::check([&] {
    const fuzzed_case asked = draw_for(*GetParam());
    const mapping_request request = asked.request();
    const result<mapping_answer> answer = map_threads(*GetParam(), request);
    if (!answer) RC_FAIL(answer.error().message());
    const pu_tree tree(asked.machine, asked.allowed);
    RC_ASSERT(
        keeps_limits(leaves_of(answer->mapping, tree), request, tree, limits_of(request, tree)));
    RC_ASSERT(answer->cost == cost_by_hand(asked, answer->mapping));
    if (!asked.current) {
      RC_ASSERT(answer->moved == 0U);
      RC_ASSERT(answer->gain == 0);
      return;
    }
    std::size_t moved = 0;
    for (std::size_t t = 0; t < asked.sharing.size(); ++t) {
      if (answer->mapping.pu_of[t] != asked.current->pu_of[t]) ++moved;
    }
    RC_ASSERT(answer->moved == moved);
    RC_ASSERT(answer->gain == cost_by_hand(asked, *asked.current) - answer->cost);
    // Who leaves a mapping that could stay wants more than the moves cost.
    if (moved > 0 &&
        keeps_limits(leaves_of(*asked.current, tree), request, tree, limits_of(request, tree))) {
      RC_ASSERT(answer->gain > asked.move_cost * static_cast<double>(moved));
    }
  }));
}

TEST_P(EveryAlgorithm, GivesTheSameAnswerToTheSameRequest) {
  EXPECT_TRUE(rc::check([&] {
    const fuzzed_case asked = draw_for(*GetParam());
    const mapping_answer first = map_threads(*GetParam(), asked.request()).value();
    RC_ASSERT(map_threads(*GetParam(), asked.request()).value().mapping.pu_of ==
              first.mapping.pu_of);
  }));
}

TEST_P(EveryAlgorithm, StaysWhenAskedAgainForTheSame) {
  EXPECT_TRUE(rc::check([&] {
    fuzzed_case asked = draw_for(*GetParam());
    asked.current.reset();
    asked.move_cost = 0;
    asked.current = map_threads(*GetParam(), asked.request()).value().mapping;
    const mapping_answer again = map_threads(*GetParam(), asked.request()).value();
    RC_ASSERT(again.moved == 0U || again.gain > 0);
  }));
}

INSTANTIATE_TEST_SUITE_P(Mapping, EveryAlgorithm,
                         testing::ValuesIn(all_algorithms().begin(), all_algorithms().end()),
                         [](const auto& tested) { return std::string(tested.param->name); });

/// A mapping of the request that an algorithm of the given name finds.
std::vector<std::uint32_t> places(const char* algorithm, const mapping_request& request) {
  const mapping_answer answer = map_threads(**find_algorithm(algorithm), request).value();
  std::vector<std::uint32_t> found;
  for (const pu_id pu : answer.mapping.pu_of) found.push_back(pu.value);
  return found;
}
using pus = std::vector<std::uint32_t>;

class SimpleRules : public testing::Test {
 protected:
  const sharing_matrix sharing = ring(4);
  const topology where = machine("numa:2 core:2 pu:2");
  const distance_table distances{where};
  mapping_request request{sharing, where, distances};
};

TEST_F(SimpleRules, CompactTakesACoreEachUnlessToldToPack) {
  EXPECT_EQ(places("compact", request), (pus{0, 2, 4, 6}));
  request.policy = fill_policy::pack;
  EXPECT_EQ(places("compact", request), (pus{0, 1, 2, 3}));
}

TEST_F(SimpleRules, CompactSkipsWhatIsNotAllowed) {
  const std::vector<pu_id> allowed{pu_id(1), pu_id(7), pu_id(5), pu_id(2)};
  request.allowed = allowed;
  EXPECT_EQ(places("compact", request), (pus{1, 2, 5, 7}));
}

TEST_F(SimpleRules, ScatterGoesRoundPinnedThreads) {
  const std::vector<std::optional<pu_id>> pins{{}, {}, {}, pu_id(0)};
  request.pinned = pins;
  EXPECT_EQ(places("scatter", request), (pus{4, 2, 6, 0}));
}

TEST_F(SimpleRules, HeavyThreadsKeepAPuForThemselves) {
  const sharing_matrix many = ring(10);
  const std::vector<double> weights{5, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  mapping_request weighted{many, where, distances};
  weighted.weights = weights;
  for (const char* algorithm : {"compact", "scatter", "random", "scotch"}) {
    const pus found = places(algorithm, weighted);
    EXPECT_EQ(std::count(found.begin(), found.end(), found[0]), 1) << algorithm;
  }
}

}  // namespace
}  // namespace numatch
