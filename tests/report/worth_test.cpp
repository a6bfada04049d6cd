// SPDX-License-Identifier: Apache-2.0
#include "report/worth.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/samples.hpp"
#include "report/summary.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;

summary summary_of(const profile& p, std::string_view spec = "numa:4 core:2 pu:1") {
  result<machine_choice> machine = choose_machine(spec, p.threads.size());
  EXPECT_TRUE(machine.has_value()) << machine.error().message();
  result<summary> s = summarise(p, std::move(*machine));
  EXPECT_TRUE(s.has_value()) << s.error().message();
  return std::move(*s);
}

bool has_remark(const summary& s, std::string_view text) {
  const std::vector<std::string>& remarks = s.verdict.remarks;
  return std::any_of(remarks.begin(), remarks.end(), [&](const std::string& remark) {
    return remark.find(text) != std::string::npos;
  });
}

TEST(worth, a_ring_on_four_nodes_is_worth_threads_and_pages) {
  const summary s = summary_of(ring_sample(8));
  EXPECT_EQ(s.verdict.kind, worth_kind::both);
  EXPECT_GE(s.verdict.thread_gain, worth::least_thread_gain);
  EXPECT_NE(s.verdict.threads.find("Yes"), std::string::npos);
}

TEST(worth, first_touch_by_one_thread_is_told) {
  const summary s = summary_of(ring_sample(8));
  EXPECT_TRUE(has_remark(s, "First touch places pages badly"));
}

TEST(worth, private_pages_are_worth_page_placement_only) {
  const summary s = summary_of(private_sample());
  EXPECT_EQ(s.verdict.kind, worth_kind::pages);
  EXPECT_EQ(s.shape.kind, shape_kind::none);
  EXPECT_TRUE(has_remark(s, "First touch already"));
}

TEST(worth, all_to_all_gains_nothing_from_thread_mapping) {
  const summary s = summary_of(transpose_sample());
  EXPECT_EQ(s.verdict.kind, worth_kind::nothing);
  EXPECT_LT(s.verdict.thread_gain, 0.02);
  EXPECT_NE(s.verdict.pages.find("Unknown"), std::string::npos);
}

TEST(worth, pages_that_all_read_could_be_copied) {
  profile p = private_sample();
  p.pages = {{page_number(1), 10, 0, thread_id(0), 50, 1}};
  for (std::uint32_t t = 1; t < 4; ++t) {
    p.pages.push_back({page_number(1), 10, 0, thread_id(t), 50, 0});
  }
  EXPECT_TRUE(
      has_remark(summary_of(p), "100 % of the accesses go to shared pages that are hardly"));
  p.pages[0].writes = 3;
  EXPECT_FALSE(has_remark(summary_of(p), "hardly"));
}

TEST(worth, one_node_makes_pages_pointless) {
  const summary s = summary_of(ring_sample(8), "numa:1 core:8 pu:1");
  EXPECT_NE(s.verdict.pages.find("one NUMA node"), std::string::npos);
  EXPECT_DOUBLE_EQ(s.verdict.page_gain, 0);
}

TEST(worth, a_numbering_that_fits_is_told) {
  const summary s = summary_of(ring_sample(8));
  EXPECT_TRUE(has_remark(s, "compact pinning"));
}

TEST(worth, interleaved_groups_need_more_than_the_numbering) {
  const summary s = summary_of(groups_sample(8), "numa:2 core:4 pu:1");
  EXPECT_EQ(s.verdict.kind, worth_kind::both);
  EXPECT_DOUBLE_EQ(s.mappings.best().share_in_node, 1);
  EXPECT_FALSE(has_remark(s, "compact pinning"));
}

TEST(summary, local_accesses_follow_the_pages) {
  profile p = private_sample();
  p.pages.resize(2);  // the first thread's pages in both windows
  p.pages[1].thread = thread_id(1);
  const summary s = summary_of(p);
  const mapping_row* scatter = s.mappings.find("scatter");
  ASSERT_NE(scatter, nullptr);
  EXPECT_DOUBLE_EQ(scatter->local_best, 0.5);
  EXPECT_DOUBLE_EQ(scatter->local_first_use, 0.5);
  EXPECT_DOUBLE_EQ(s.mappings.find("compact")->local_best, 1);
  EXPECT_DOUBLE_EQ(s.mappings.local_interleave, 0.25);
}

TEST(summary, mappings_are_sorted_by_cost_with_random_last) {
  const summary s = summary_of(ring_sample(8));
  for (std::size_t i = 0; i + 2 < s.mappings.rows.size(); ++i) {
    EXPECT_LE(s.mappings.rows[i].cost, s.mappings.rows[i + 1].cost);
  }
  EXPECT_EQ(s.mappings.rows.back().algorithm, "random");
  EXPECT_EQ(s.mappings.rows.back().draws, 8u);
}

TEST(summary, partners_are_those_that_a_thread_shares_most_with) {
  const summary s = summary_of(ring_sample(8));
  ASSERT_EQ(s.threads[3].partners.size(), 3u);
  EXPECT_EQ(s.threads[3].partners[0].thread, thread_id(2));
  EXPECT_EQ(s.threads[3].partners[1].thread, thread_id(4));
  EXPECT_NEAR(s.threads[3].partners[0].share, 2200.0 / 4460, 1e-12);
}

TEST(summary, a_profile_without_threads_is_refused) {
  result<machine_choice> machine = choose_machine("numa:2 core:1 pu:1", 0);
  ASSERT_TRUE(machine.has_value());
  const result<summary> s = summarise(profile(), std::move(*machine));
  ASSERT_FALSE(s.has_value());
  EXPECT_EQ(s.error().what, "the profile has no threads");
}

TEST(summary, more_threads_than_pus_are_mapped) {
  const summary s = summary_of(ring_sample(24));
  EXPECT_EQ(s.mappings.best().mapping.pu_of.size(), 24u);
}

TEST(machine, a_topology_that_does_not_parse_is_an_error) {
  EXPECT_FALSE(choose_machine("numa:zero", 4).has_value());
}

TEST(machine, the_example_grows_with_the_threads) {
  const result<machine_choice> chosen = choose_machine("", 32);
  ASSERT_TRUE(chosen.has_value());
  if (chosen->spec == "live") GTEST_SKIP() << "this machine has several NUMA nodes";
  EXPECT_EQ(chosen->spec, "numa:4 core:8 pu:1");
  EXPECT_EQ(chosen->machine.pu_count(), 32u);
}

}  // namespace
}  // namespace numatch::report
