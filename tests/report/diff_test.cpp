// SPDX-License-Identifier: Apache-2.0
#include "report/diff.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "report/format.hpp"
#include "report/samples.hpp"
#include "report/shapes.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;

profile_diff diff_of(const profile& a, const profile& b, double limit = 0.95) {
  return compare_profiles(a, b, "a.nmp", "b.nmp", limit);
}

TEST(diff, a_profile_is_like_itself) {
  const profile ring = ring_sample(8);
  const profile_diff d = diff_of(ring, ring);
  EXPECT_TRUE(d.alike);
  EXPECT_DOUBLE_EQ(d.correlation, 1);
  EXPECT_EQ(d.pages_only_a, 0u);
  EXPECT_EQ(d.pages_moved, 0u);
  EXPECT_NE(text_diff(d).find("nothing differs"), std::string::npos);
}

TEST(diff, scale_does_not_matter) {
  profile twice = ring_sample(8);
  twice.sharing.scale(2);
  EXPECT_TRUE(diff_of(ring_sample(8), twice).alike);
}

TEST(diff, another_pattern_differs) {
  const profile_diff d = diff_of(ring_sample(8), groups_sample(8));
  EXPECT_FALSE(d.alike);
  EXPECT_LT(d.correlation, 0.5);
  EXPECT_NE(d.a.shape.words, d.b.shape.words);
}

TEST(diff, the_limit_decides) {
  profile noisier = ring_sample(8);
  noisier.sharing = noisy(noisier.sharing, 60, 3);
  const profile_diff d = diff_of(ring_sample(8), noisier, 0.5);
  ASSERT_GT(d.correlation, 0.5);
  ASSERT_LT(d.correlation, 1);
  EXPECT_TRUE(d.alike);
  EXPECT_FALSE(diff_of(ring_sample(8), noisier, 0.5 + d.correlation / 2).alike);
}

TEST(diff, other_numbers_of_threads_differ) {
  const profile_diff d = diff_of(ring_sample(8), ring_sample(6));
  EXPECT_FALSE(d.alike);
  EXPECT_EQ(d.reason, "a.nmp has 8 threads, b.nmp has 6");
  EXPECT_EQ(d.thread_accesses.size(), 8u);
}

TEST(diff, two_empty_patterns_are_alike) {
  EXPECT_TRUE(diff_of(private_sample(), private_sample()).alike);
}

TEST(diff, all_to_all_with_other_noise_is_alike) {
  profile other = transpose_sample();
  other.sharing = noisy(all_to_all(8), 0.1, 9);
  const profile_diff d = diff_of(transpose_sample(), other);
  EXPECT_LT(d.correlation, 0.95);
  EXPECT_TRUE(d.alike);
}

TEST(diff, sharing_against_nothing_differs) {
  profile silent = ring_sample(2);
  silent.sharing = sharing_matrix(2);
  EXPECT_FALSE(diff_of(ring_sample(2), silent).alike);
}

TEST(diff, pages_with_another_main_thread_are_counted) {
  profile a;
  a.threads.resize(2);
  a.sharing = sharing_matrix(2);
  a.pages = {{page_number(10), 4, 0, thread_id(0), 10, 0},
             {page_number(20), 1, 0, thread_id(0), 10, 0}};
  profile b = a;
  b.pages = {{page_number(10), 1, 0, thread_id(0), 10, 0},
             {page_number(11), 5, 0, thread_id(1), 10, 0}};
  const profile_diff d = diff_of(a, b);
  EXPECT_EQ(d.pages_both, 4u);
  EXPECT_EQ(d.pages_moved, 3u);
  EXPECT_DOUBLE_EQ(d.moved_accesses, 0.75);
  EXPECT_EQ(d.pages_only_a, 1u);
  EXPECT_EQ(d.pages_only_b, 2u);
}

TEST(diff, pages_of_other_sizes_are_not_compared) {
  profile huge = ring_sample(4);
  huge.page_bytes = 1 << 21;
  EXPECT_FALSE(diff_of(ring_sample(4), huge).pages_comparable);
}

TEST(diff, objects_are_matched_by_name_and_place) {
  profile b = ring_sample(8);
  b.objects.erase(b.objects.begin());
  const profile_diff d = diff_of(ring_sample(8), b);
  ASSERT_EQ(d.objects.size(), 2u);
  EXPECT_EQ(d.objects[0].name, "global residuals in solve.c:12");
  EXPECT_DOUBLE_EQ(d.objects[0].b, 1);
  EXPECT_EQ(d.objects[1].name, "heap malloc at grid.c:41 in make_grid, grid.c:41");
  EXPECT_DOUBLE_EQ(d.objects[1].b, 0);
}

TEST(diff, its_text_fits_100_columns) {
  std::istringstream lines(text_diff(diff_of(hostile_sample(), groups_sample(8))));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 100u) << line;
}

}  // namespace
}  // namespace numatch::report
