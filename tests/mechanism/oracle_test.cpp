// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "fake_world.hpp"

namespace numatch {
namespace {

using test::fake_world;
using test::make_mechanism;
using testing::IsSubstring;

void use(mechanism& oracle, fake_world& where, std::uint32_t thread, std::uint64_t address,
         int times, bool write = false, std::uint32_t bytes = 8) {
  const std::vector<access_event> accesses(static_cast<std::size_t>(times),
                                           access_event{address, bytes, write});
  oracle.on_accesses(thread_id(thread), accesses, where);
}

TEST(oracle, a_pair_shares_the_smaller_count_of_every_granule) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, 0x1000, 10);
  use(*oracle, where, 1, 0x1ff8, 4, true);
  use(*oracle, where, 0, 0x2000, 3);
  use(*oracle, where, 1, 0x2100, 7, true);
  use(*oracle, where, 1, 0x3000, 100, true);
  EXPECT_EQ(oracle->sharing().at(0, 1), 4 + 3);
  EXPECT_EQ(oracle->sharing().at(1, 0), 4 + 3);
}

TEST(oracle, three_threads_make_three_pairs) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, 0x1000, 5, true);
  use(*oracle, where, 1, 0x1000, 2, true);
  use(*oracle, where, 2, 0x1000, 9, true);
  const sharing_matrix sharing = oracle->sharing();
  EXPECT_EQ(sharing.at(0, 1), 2);
  EXPECT_EQ(sharing.at(0, 2), 5);
  EXPECT_EQ(sharing.at(1, 2), 2);
}

TEST(oracle, an_access_that_spans_two_granules_counts_in_both) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, 0x1ffc, 1, true, 8);
  use(*oracle, where, 1, 0x1000, 1);
  use(*oracle, where, 1, 0x2000, 1);
  EXPECT_EQ(oracle->sharing().at(0, 1), 2);
}

TEST(oracle, an_access_that_ends_at_a_granule_does_not_count_in_the_next) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, 0x1ff8, 1, true, 8);
  use(*oracle, where, 1, 0x2000, 1);
  EXPECT_EQ(oracle->sharing().total(), 0);
}

TEST(oracle, finer_granules_tell_neighbours_on_one_page_apart) {
  fake_world where;
  const auto oracle = make_mechanism("oracle", {{"granularity", "64"}});
  use(*oracle, where, 0, 0x1000, 10, true);
  use(*oracle, where, 1, 0x1040, 10);
  EXPECT_EQ(oracle->sharing().total(), 0);
  use(*oracle, where, 1, 0x1008, 10);
  EXPECT_EQ(oracle->sharing().at(0, 1), 10);
}

TEST(oracle, a_pair_shares_no_more_than_it_wrote) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, 0x1000, 10);
  use(*oracle, where, 1, 0x1000, 10);
  EXPECT_EQ(oracle->sharing().total(), 0);
  use(*oracle, where, 1, 0x1000, 3, true);
  EXPECT_EQ(oracle->sharing().at(0, 1), 3);
  use(*oracle, where, 0, 0x1000, 2, true);
  EXPECT_EQ(oracle->sharing().at(0, 1), 3 + 2);
}

TEST(oracle, count_accesses_includes_what_nobody_wrote) {
  fake_world where;
  const auto oracle = make_mechanism("oracle", {{"count", "accesses"}});
  use(*oracle, where, 0, 0x1000, 10);
  use(*oracle, where, 1, 0x1000, 7);
  EXPECT_EQ(oracle->sharing().at(0, 1), 7);
}

TEST(oracle, two_readers_of_what_a_third_wrote_share_nothing) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, 0x1000, 10);
  use(*oracle, where, 1, 0x1000, 10);
  use(*oracle, where, 2, 0x1000, 1, true);
  const sharing_matrix sharing = oracle->sharing();
  EXPECT_EQ(sharing.at(0, 1), 0);
  EXPECT_EQ(sharing.at(0, 2), 1);
  EXPECT_EQ(sharing.at(1, 2), 1);
}

TEST(oracle, threads_meet_only_within_a_window) {
  fake_world where;
  const auto oracle = make_mechanism("oracle", {{"window", "1000"}});
  use(*oracle, where, 0, 0x1000, 10);
  where.time = {1000};
  use(*oracle, where, 1, 0x1000, 10, true);
  EXPECT_EQ(oracle->sharing().total(), 0);
  where.time = {1999};
  use(*oracle, where, 0, 0x1000, 3);
  EXPECT_EQ(oracle->sharing().at(0, 1), 3);
}

TEST(oracle, a_thread_that_comes_late_to_a_window_still_meets_the_others_there) {
  fake_world where;
  const auto oracle = make_mechanism("oracle", {{"window", "1000"}});
  where.time = {10'000};
  use(*oracle, where, 0, 0x1000, 10);
  where.time = {11'000};
  use(*oracle, where, 0, 0x5000, 10);
  where.time = {10'500};
  use(*oracle, where, 1, 0x1000, 7, true);
  where.time = {20'000};
  use(*oracle, where, 0, 0x5000, 10);
  EXPECT_EQ(oracle->sharing().at(0, 1), 7);
}

TEST(oracle, without_threads_the_matrix_is_empty) {
  EXPECT_EQ(make_mechanism("oracle")->sharing().size(), 0u);
}

TEST(oracle, a_thread_without_accesses_has_a_row) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  oracle->on_thread_start(thread_id(3), where);
  EXPECT_EQ(oracle->sharing().size(), 4u);
}

TEST(oracle, an_access_at_the_end_of_the_address_space_is_counted) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  use(*oracle, where, 0, ~std::uint64_t{0} - 3, 1, true, 16);
  use(*oracle, where, 1, ~std::uint64_t{0}, 1);
  EXPECT_EQ(oracle->sharing().at(0, 1), 1);
}

TEST(oracle, parameters_out_of_range_are_refused) {
  EXPECT_PRED_FORMAT2(IsSubstring, "from 64 to 2097152",
                      test::refusal_of("oracle", {{"granularity", "32"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "3000 is not a power of two",
                      test::refusal_of("oracle", {{"granularity", "3000"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "did you mean 'accesses'",
                      test::refusal_of("oracle", {{"count", "access"}}));
  EXPECT_PRED_FORMAT2(IsSubstring, "whole number", test::refusal_of("oracle", {{"window", "-1"}}));
}

struct drawn_access {
  std::uint32_t thread;
  std::uint64_t page;
  bool write;
};

/// Threads and pages few enough to meet, pages far enough apart to fall out of the front table.
std::vector<drawn_access> draw_accesses() {
  const auto draws =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1 << 12));
  std::vector<drawn_access> accesses;
  for (const std::uint32_t draw : draws) {
    accesses.push_back({draw % 5, (draw >> 4) % 150 * 64, (draw >> 3) % 2 == 0});
  }
  return accesses;
}

sharing_matrix sharing_of(const std::vector<drawn_access>& accesses) {
  fake_world where;
  const auto oracle = make_mechanism("oracle");
  for (std::uint32_t t = 0; t < 5; ++t) oracle->on_thread_start(thread_id(t), where);
  for (const drawn_access& a : accesses) use(*oracle, where, a.thread, a.page << 12, 1, a.write);
  return oracle->sharing();
}

RC_GTEST_PROP(oracle, equals_the_definition, ()) {
  const std::vector<drawn_access> accesses = draw_accesses();
  std::map<std::uint64_t, std::array<double, 5>> counts;
  std::map<std::uint64_t, std::array<double, 5>> writes;
  for (const drawn_access& a : accesses) {
    counts[a.page][a.thread] += 1;
    writes[a.page][a.thread] += a.write ? 1 : 0;
  }
  sharing_matrix expected(5);
  for (const auto& [page, of] : counts) {
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) {
        const double written = writes[page][i] + writes[page][j];
        if (i != j) expected.add(i, j, std::min({of[i], of[j], written}));
      }
    }
  }
  RC_ASSERT(sharing_of(accesses) == expected);
}

RC_GTEST_PROP(oracle, does_not_depend_on_the_interleaving, ()) {
  std::vector<drawn_access> accesses = draw_accesses();
  const sharing_matrix as_drawn = sharing_of(accesses);
  std::stable_sort(
      accesses.begin(), accesses.end(),
      [](const drawn_access& a, const drawn_access& b) { return a.thread > b.thread; });
  RC_ASSERT(sharing_of(accesses) == as_drawn);
}

}  // namespace
}  // namespace numatch
