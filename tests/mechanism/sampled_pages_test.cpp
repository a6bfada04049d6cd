// SPDX-License-Identifier: Apache-2.0
#include "mechanism/sampled_pages.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <numeric>

namespace numatch {
namespace {

constexpr page_number page{7};

/// Threads 0 and 1 on node 0, 2 on node 1, 3 nowhere.
constexpr std::array<thread_site, 4> sites{thread_site{node_id(0), 1}, thread_site{node_id(0), 1},
                                           thread_site{node_id(1), 1}, thread_site{}};

node_lead lead_of_page(const sampled_pages& pages, std::uint32_t present) {
  std::array<double, 2> by_node{};
  return lead_of(*pages.find(page), sites, node_id(present), by_node);
}

void add(sampled_pages& pages, std::uint32_t thread, int times) {
  for (int i = 0; i < times; ++i) pages.add(page, thread_id(thread), {});
}

TEST(sampled_pages, a_page_is_unknown_before_its_first_sample) {
  sampled_pages pages;
  EXPECT_EQ(pages.find(page), nullptr);
  add(pages, 0, 1);
  EXPECT_NE(pages.find(page), nullptr);
  EXPECT_EQ(pages.find(page_number(8)), nullptr);
}

TEST(sampled_pages, the_lead_is_of_the_node_and_not_of_the_thread_with_most_samples) {
  sampled_pages pages;
  add(pages, 0, 2);
  add(pages, 1, 2);
  add(pages, 2, 3);
  pages.fold_places(1);
  const node_lead lead = lead_of_page(pages, 1);
  EXPECT_EQ(lead.best, node_id(0));
  EXPECT_EQ(lead.most, 4);
  EXPECT_EQ(lead.present, 3);
  EXPECT_EQ(lead.all, 7);
}

TEST(sampled_pages, of_equal_nodes_the_one_where_the_page_is_leads) {
  sampled_pages pages;
  add(pages, 0, 2);
  add(pages, 2, 2);
  pages.fold_places(1);
  EXPECT_EQ(lead_of_page(pages, 1).best, node_id(1));
  EXPECT_EQ(lead_of_page(pages, 0).best, node_id(0));
}

TEST(sampled_pages, a_thread_without_a_node_is_left_out) {
  sampled_pages pages;
  add(pages, 2, 1);
  add(pages, 3, 5);
  pages.fold_places(1);
  EXPECT_EQ(lead_of_page(pages, 0).best, node_id(1));
  EXPECT_EQ(lead_of_page(pages, 0).all, 1);
}

TEST(sampled_pages, a_thread_that_is_waited_for_leads_with_fewer_samples) {
  sampled_pages pages;
  add(pages, 0, 4);
  add(pages, 2, 2);
  pages.fold_places(1);
  const std::array<thread_site, 3> waited{thread_site{node_id(0), 0.25}, thread_site{node_id(0), 1},
                                          thread_site{node_id(1), 1}};
  std::array<double, 2> by_node{};
  const node_lead lead = lead_of(*pages.find(page), waited, node_id(0), by_node);
  EXPECT_EQ(lead.best, node_id(1));
  EXPECT_EQ(lead.most, 2);
  EXPECT_EQ(lead.all, 3);
}

TEST(sampled_pages, what_came_since_the_last_fold_says_nothing_about_the_place_yet) {
  sampled_pages pages;
  add(pages, 2, 4);
  EXPECT_EQ(lead_of_page(pages, 0).all, 0);
  pages.fold_places(0.5);
  EXPECT_EQ(lead_of_page(pages, 0).all, 4);
  add(pages, 2, 1);
  pages.fold_places(0.5);
  EXPECT_EQ(lead_of_page(pages, 0).all, 3);
}

TEST(sampled_pages, what_the_chips_own_cache_answered_counts_for_sharing_and_not_for_the_place) {
  sampled_pages pages;
  pages.add(page, thread_id(0), {.near = true, .weight = 10});
  pages.add(page, thread_id(2), {});
  pages.fold_places(1);
  pages.fold_sharing(1);
  EXPECT_EQ(lead_of_page(pages, 0).all, 1);
  ASSERT_EQ(pages.find(page)->uses.size(), 2u);
  EXPECT_EQ(pages.find(page)->uses[0].shared, 10);
  EXPECT_EQ(pages.find(page)->uses[1].shared, 1);
}

TEST(sampled_pages, pages_with_new_samples_are_told_once_in_ascending_order) {
  sampled_pages pages;
  for (const std::uint64_t p : {9, 3, 9, 5}) pages.add(page_number(p), thread_id(0), {});
  EXPECT_EQ(pages.take_used(),
            (std::vector<page_number>{page_number(3), page_number(5), page_number(9)}));
  EXPECT_TRUE(pages.take_used().empty());
  pages.add(page_number(5), thread_id(0), {});
  EXPECT_EQ(pages.take_used(), (std::vector<page_number>{page_number(5)}));
}

TEST(sampled_pages, a_thread_whose_samples_are_too_old_is_forgotten) {
  sampled_pages pages;
  add(pages, 0, 1);
  add(pages, 2, 16);
  for (int i = 0; i < 5; ++i) {
    pages.fold_places(0.5);
    pages.fold_sharing(0.5);
  }
  ASSERT_EQ(pages.find(page)->uses.size(), 1u);
  EXPECT_EQ(pages.find(page)->uses[0].thread, 2u);
}

RC_GTEST_PROP(sampled_pages, every_sample_of_a_known_thread_is_of_one_node, ()) {
  const auto threads =
      *rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 3));
  RC_PRE(!threads.empty());
  sampled_pages pages;
  for (const std::uint32_t t : threads) add(pages, t, 1);
  pages.fold_places(1);
  std::array<double, 2> by_node{};
  const node_lead lead = lead_of(*pages.find(page), sites, node_id(0), by_node);
  RC_ASSERT(lead.all == static_cast<double>(threads.size()));
  RC_ASSERT(std::accumulate(by_node.begin(), by_node.end(), 0.0) == lead.all);
  RC_ASSERT(lead.most >= lead.present && lead.most <= lead.all);
}

}  // namespace
}  // namespace numatch
