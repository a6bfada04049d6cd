// SPDX-License-Identifier: Apache-2.0
#include "report/shape.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/shapes.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;

sharing_shape shape_of(const sharing_matrix& sharing, double volume = 0.3) {
  return find_shape({sharing, sharing_matrix(sharing.size()), volume});
}

double value_of(const sharing_shape& shape, std::string_view key) {
  for (const shape_measure& m : shape.measures) {
    if (m.key == key) return m.value;
  }
  ADD_FAILURE() << "no measure " << key;
  return -1;
}

bool neighbours_in(const std::vector<thread_id>& order, std::size_t a, std::size_t b) {
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    if ((order[k].index() == a && order[k + 1].index() == b) ||
        (order[k].index() == b && order[k + 1].index() == a)) {
      return true;
    }
  }
  return false;
}

struct named_pattern {
  const char* words;
  sharing_matrix sharing;
};

std::vector<named_pattern> patterns_of(std::size_t n) {
  return {{"nearest neighbour (chain)", chain(n)},
          {"nearest neighbour (ring)", ring(n)},
          {"all-to-all", all_to_all(n)},
          {"master/worker (thread 0)", star(n, 0)}};
}

TEST(shape, names_clean_patterns_of_4_to_64_threads) {
  for (std::size_t n : {4, 5, 8, 9, 16, 33, 64}) {
    for (const named_pattern& p : patterns_of(n)) {
      EXPECT_EQ(shape_of(p.sharing).words, p.words) << n << " threads";
    }
  }
}

TEST(shape, names_the_same_pattern_under_noise_and_any_numbering) {
  for (std::size_t n : std::vector<std::size_t>{8, 16, 32}) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const std::vector<std::size_t> names = shuffled(n, seed);
      for (const named_pattern& p : patterns_of(n)) {
        const sharing_matrix seen = renamed(noisy(p.sharing, 0.3, seed), names);
        const shape_kind expected = shape_of(p.sharing).kind;
        EXPECT_EQ(shape_of(seen).kind, expected)
            << p.words << ", " << n << " threads, seed " << seed << ": " << shape_of(seen).sentence;
      }
    }
  }
}

TEST(shape, finds_the_order_of_a_renamed_ring) {
  const std::vector<std::size_t> names = shuffled(24, 7);
  const sharing_shape shape = shape_of(renamed(noisy(ring(24), 0.2, 3), names));
  ASSERT_EQ(shape.words, "nearest neighbour (ring)");
  std::size_t found = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    if (neighbours_in(shape.order, names[i], names[(i + 1) % 24])) ++found;
  }
  EXPECT_EQ(found, 23u);
}

TEST(shape, names_clusters_of_any_size_and_their_members) {
  for (std::size_t size : {2, 3, 4, 8}) {
    const std::size_t n = size * 4;
    for (unsigned seed = 1; seed <= 10; ++seed) {
      const std::vector<std::size_t> names = shuffled(n, seed);
      const sharing_shape shape = shape_of(renamed(noisy(groups_of(size, n), 0.3, seed), names));
      EXPECT_EQ(shape.words, fmt::format("clusters (4 of {} threads)", size)) << "seed " << seed;
      ASSERT_EQ(shape.groups.size(), 4u);
      for (std::size_t g = 0; g < 4; ++g) {
        for (thread_id t : shape.groups[g]) {
          const std::size_t was = static_cast<std::size_t>(
              std::find(names.begin(), names.end(), t.index()) - names.begin());
          const std::size_t first = static_cast<std::size_t>(
              std::find(names.begin(), names.end(), shape.groups[g][0].index()) - names.begin());
          EXPECT_EQ(was / size, first / size);
        }
      }
    }
  }
}

TEST(shape, two_halves_are_two_clusters) {
  EXPECT_EQ(shape_of(groups_of(4, 8)).words, "clusters (2 of 4 threads)");
  EXPECT_EQ(shape_of(groups_of(2, 4)).words, "clusters (2 of 2 threads)");
}

TEST(shape, names_a_grid_in_the_programs_own_numbering) {
  EXPECT_EQ(shape_of(grid_of(4, 4)).words, "nearest neighbour (grid 4 × 4)");
  EXPECT_EQ(shape_of(noisy(grid_of(8, 4), 0.2, 5)).words, "nearest neighbour (grid 4 × 8)");
}

TEST(shape, names_a_pipeline_by_the_direction_of_its_flow) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{1, 1, 1, 1}, {1, 4, 4, 1}, {2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}}) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
      const sharing_matrix flow = stages_of(sizes);
      const std::vector<std::size_t> names = shuffled(flow.size(), seed);
      const sharing_matrix seen = renamed(noisy(flow, 0.1, seed), names);
      const sharing_shape shape = find_shape({seen, seen, 0.4});
      EXPECT_EQ(shape.words, fmt::format("pipeline ({} stages)", sizes.size())) << shape.sentence;
      ASSERT_EQ(shape.groups.size(), sizes.size());
      for (std::size_t s = 0; s < sizes.size(); ++s) EXPECT_EQ(shape.groups[s].size(), sizes[s]);
    }
  }
}

TEST(shape, a_pipeline_with_some_data_flowing_back_keeps_its_stages) {
  sharing_matrix flow = stages_of({1, 1, 1, 1, 1, 1});
  for (std::size_t i = 0; i + 1 < 6; ++i) flow.set(i + 1, i, 15);
  const sharing_shape shape = find_shape({flow, flow, 0.4});
  EXPECT_EQ(shape.words, "pipeline (6 stages)");
}

TEST(shape, a_chain_that_flows_both_ways_is_no_pipeline) {
  const sharing_matrix both = chain(8);
  EXPECT_EQ(find_shape({both, both, 0.4}).words, "nearest neighbour (chain)");
}

TEST(shape, readers_of_one_table_are_no_pipeline) {
  sharing_matrix flow(8);
  for (std::size_t j = 1; j < 8; ++j) flow.set(0, j, 100);
  EXPECT_EQ(find_shape({all_to_all(8), flow, 0.4}).words, "all-to-all");
}

TEST(shape, nothing_shared_has_no_shape) {
  EXPECT_EQ(shape_of(sharing_matrix(8)).words, "none");
  EXPECT_EQ(shape_of(sharing_matrix(0), 0).words, "none");
  EXPECT_EQ(shape_of(sharing_matrix(1), 0).words, "none");
  EXPECT_EQ(shape_of(ring(8), 0.0009).words, "none");
}

TEST(shape, a_faint_pattern_above_the_limit_is_named) {
  EXPECT_EQ(shape_of(ring(8), 0.001).words, "nearest neighbour (ring)");
}

TEST(shape, an_idle_main_thread_does_not_vote) {
  sharing_matrix m(9);
  const sharing_matrix workers = ring(8);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t j = 0; j < 8; ++j) m.set(i + 1, j + 1, workers.at(i, j));
  }
  for (std::size_t j = 1; j < 9; ++j) link(m, 0, j, 0.5);
  const sharing_shape shape = shape_of(m);
  EXPECT_EQ(shape.words, "nearest neighbour (ring)");
  EXPECT_EQ(shape.taking_part.size(), 8u);
  EXPECT_EQ(shape.order.back(), thread_id(0));
  EXPECT_EQ(shape.order.size(), 9u);
}

TEST(shape, two_threads_are_one_cluster) {
  EXPECT_EQ(shape_of(chain(2)).words, "clusters (one of 2 threads)");
}

TEST(shape, half_structured_sharing_is_mixed) {
  sharing_matrix m = ring(16);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = i + 1; j < 16; ++j) link(m, i, j, 15);
  }
  EXPECT_EQ(shape_of(m).words, "mixed");
}

TEST(shape, an_asymmetric_matrix_is_judged_by_both_directions) {
  sharing_matrix one_way(8);
  for (std::size_t i = 0; i < 8; ++i) one_way.set(i, (i + 1) % 8, 10);
  EXPECT_EQ(shape_of(one_way).words, "nearest neighbour (ring)");
}

TEST(shape, measures_have_the_values_of_the_definitions) {
  const sharing_shape shape = shape_of(ring(8));
  EXPECT_NEAR(value_of(shape, "heterogeneity"), std::sqrt(7.0 / 2 - 1), 1e-9);
  EXPECT_NEAR(value_of(shape, "band_mass"), 1, 1e-9);
  EXPECT_NEAR(value_of(shape, "ring_wrap"), 1, 1e-9);
  EXPECT_NEAR(value_of(shape, "hub_mass"), 0, 1e-9);
  EXPECT_NEAR(value_of(shape_of(star(8, 3)), "hub_mass"), 1, 1e-9);
  EXPECT_NEAR(value_of(shape_of(groups_of(4, 16)), "relative_modularity"), 1, 1e-9);
}

}  // namespace
}  // namespace numatch::report
