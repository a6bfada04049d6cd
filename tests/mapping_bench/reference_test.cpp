// SPDX-License-Identifier: Apache-2.0
#include "bench/mapping/reference.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "bench/mapping/annealer.hpp"

namespace numatch::bench {
namespace {

struct asked {
  loaded_machine on;
  made_pattern made;
  mapping_request request() const { return {made.sharing, on.machine, on.distances}; }
};

asked ask(std::string_view family_name, std::size_t threads, std::string_view machine) {
  return {*load(**find_machine(machine)), (*find_family(family_name))->make(threads, 1)};
}

asked ask_spec(std::string_view family_name, std::size_t threads, const std::string& spec) {
  topology machine = *topology::load(spec);
  distance_table distances(machine);
  return {{std::move(machine), std::move(distances)},
          (*find_family(family_name))->make(threads, 1)};
}

std::size_t fullest(const thread_mapping& mapping, std::size_t pus) {
  std::vector<std::size_t> load(pus);
  for (const pu_id pu : mapping.pu_of) ++load[pu.index()];
  return *std::max_element(load.begin(), load.end());
}

/// The lowest cost over all ways to put the threads on PUs of their own.
double lowest_of_all(const mapping_request& request) {
  std::vector<std::uint32_t> order(request.machine.pu_count());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  double lowest = std::numeric_limits<double>::infinity();
  do {
    thread_mapping mapping;
    for (std::size_t t = 0; t < request.sharing.size(); ++t) {
      mapping.pu_of.push_back(pu_id(order[t]));
    }
    lowest = std::min(lowest, mapping_cost(request.sharing, mapping, request.distances));
  } while (std::next_permutation(order.begin(), order.end()));
  return lowest;
}

TEST(Reference, FindsTheOptimumOfSmallMachines) {
  for (const std::string_view name : {"random-sparse", "all-to-all", "pairs", "power-law"}) {
    const asked question = ask_spec(name, 8, "numa:2 core:2 pu:2");
    const found_mapping found = search_reference(question.request(), {100'000, 1}, {});
    EXPECT_EQ(found.cost, lowest_of_all(question.request())) << name;
  }
}

TEST(Reference, FindsTheOptimumWhereThreadsAreFewerThanPus) {
  const asked question = ask_spec("random-sparse", 6, "numa:2 core:2 pu:2");
  const found_mapping found = search_reference(question.request(), {100'000, 1}, {});
  EXPECT_EQ(found.cost, lowest_of_all(question.request()));
}

TEST(Reference, FindsTheOptimumOnDistancesThatAreNoTree) {
  asked question = ask_spec("random-sparse", 6, "numa:6 core:1 pu:1");
  std::vector<double> ring_hops;
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b < 6; ++b) ring_hops.push_back(std::min((a - b + 6) % 6, (b - a + 6) % 6));
  }
  question.on.distances = *distance_table::from_cells(6, ring_hops);
  const found_mapping found = search_reference(question.request(), {100'000, 1}, {});
  EXPECT_EQ(found.cost, lowest_of_all(question.request()));
}

TEST(Reference, SaysTheCostOfItsMappingAndKeepsTheCapacity) {
  for (const std::size_t threads : {20U, 32U, 50U, 64U}) {
    const asked question = ask("odd-clusters", threads, "2x8x2");
    const found_mapping found = search_reference(question.request(), {50'000, 1}, {});
    EXPECT_EQ(found.cost,
              mapping_cost(question.made.sharing, found.mapping, question.on.distances));
    EXPECT_LE(fullest(found.mapping, 32), (threads + 31) / 32);
  }
}

TEST(Reference, IsNeverWorseThanItsStart) {
  const asked question = ask("planted", 32, "2x8x2");
  const found_mapping start = best_planted(question.request(), question.made.place);
  const std::vector<thread_mapping> starts{start.mapping};
  EXPECT_LE(search_reference(question.request(), {1000, 1}, starts).cost, start.cost);
}

TEST(Reference, GivesTheSameBitsForTheSameSeed) {
  const asked question = ask("power-law", 64, "4x8x2");
  const found_mapping once = search_reference(question.request(), {50'000, 7}, {});
  const found_mapping again = search_reference(question.request(), {50'000, 7}, {});
  EXPECT_EQ(once.mapping.pu_of, again.mapping.pu_of);
}

TEST(Annealer, KeepsItsSumsOfDenseMatricesRight) {
  const asked question = ask("npb-like", 256, "2x4x8x2");
  annealer search(question.request(), 3);
  search.place_at_random();
  const double before = search.cost();
  search.anneal(100, 1, 200'000);
  const double after = search.cost();
  search.descend();
  EXPECT_LT(after, before);
  EXPECT_LE(search.cost(), after) << "a wrong sum would take exchanges that make it worse";
}

TEST(Planted, CutsALineIntoTheNodes) {
  const asked question = ask("chain", 32, "8x4");
  const found_mapping found = best_planted(question.request(), question.made.place);
  // 24 links inside a node at distance 2 and 7 between nodes at 4, 200 both ways.
  EXPECT_EQ(found.cost, 200 * (24 * 2 + 7 * 4));
  EXPECT_EQ(fullest(found.mapping, 32), 1U);
}

TEST(Planted, CutsAGridAlongBothAxes) {
  const asked question = ask("stencil2d", 64, "4x8x2");
  const found_mapping found = best_planted(question.request(), question.made.place);
  // Between the four squares of 4 x 4: 16 links at distance 6. In a square 8 pairs at distance 2,
  // the other 16 links at 4.
  EXPECT_EQ(found.cost, 200 * (16 * 6 + 4 * (8 * 2 + 16 * 4)));
}

}  // namespace
}  // namespace numatch::bench
