// SPDX-License-Identifier: Apache-2.0
#include "reproduce/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace numatch::reproduce {

namespace {

suite_paper two_mechanisms() {
  suite_paper paper;
  paper.machine = "m";
  paper.mechanisms = {"lapt", "mvas"};
  return paper;
}

suite_class small() {
  return {.name = "S", .time_scale = 10, .settings = {"cache.l2.size=64 KiB"}, .note = "Small."};
}

std::vector<std::string> titles_of(const std::vector<wanted_run>& runs) {
  std::vector<std::string> titles;
  for (const wanted_run& run : runs) titles.push_back(run.title);
  return titles;
}

}  // namespace

TEST(runs_of_a_paper, have_the_settings_and_the_scale_of_the_class) {
  for (const wanted_run& run : runs_of(two_mechanisms(), small())) {
    EXPECT_EQ(run.settings, std::vector<std::string>{"cache.l2.size=64 KiB"});
    EXPECT_EQ(run.time_scale, 10);
  }
}

TEST(runs_of_a_paper, have_those_of_its_own_class_instead) {
  suite_paper paper = two_mechanisms();
  paper.classes = {{.name = "S", .time_scale = 1000, .settings = {}, .note = "Shorter."}};
  for (const wanted_run& run : runs_of(paper, small())) {
    EXPECT_TRUE(run.settings.empty());
    EXPECT_EQ(run.time_scale, 1000);
  }
}

TEST(runs_of_a_paper, have_no_baseline_where_a_program_is_that_of_the_others) {
  suite_paper paper;
  paper.against = "flat";
  suite_run whole;
  whole.name = "whole";
  whole.region_of_interest = false;
  paper.runs = {whole};
  const std::vector<wanted_run> runs = runs_of(paper, {});
  ASSERT_EQ(titles_of(runs), std::vector<std::string>{"whole"});
  EXPECT_EQ(runs[0].region_of_interest, false);
}

TEST(runs_of_a_paper, of_the_same_name_in_two_papers_are_the_same_where_nothing_differs) {
  suite_paper other = two_mechanisms();
  other.mechanisms = {"lapt"};
  EXPECT_EQ(runs_of(two_mechanisms(), small())[1].key(), runs_of(other, small())[1].key());
  other.machine = "n";
  EXPECT_NE(runs_of(two_mechanisms(), small())[1].key(), runs_of(other, small())[1].key());
}

TEST(runs_of_a_paper, with_other_parameters_are_other_runs) {
  suite_paper paper = two_mechanisms();
  suite_run low;
  low.name = "mvas, alpha 0.5";
  low.mechanism = "mvas";
  low.parameters = {"alpha=0.5"};
  paper.runs = {low};
  std::set<std::string> keys;
  for (const wanted_run& run : runs_of(paper, small())) keys.insert(run.key());
  EXPECT_EQ(keys.size(), 4u);
}

TEST(runs_of_a_paper, have_their_own_settings_over_those_of_the_class) {
  suite_paper paper = two_mechanisms();
  suite_run free;
  free.name = "free";
  free.mechanism = "mvas";
  free.settings = {"os.page_move=0 cycles"};
  paper.runs = {free};
  EXPECT_EQ(runs_of(paper, small()).back().settings,
            (std::vector<std::string>{"cache.l2.size=64 KiB", "os.page_move=0 cycles"}));
}

TEST(runs_of_a_paper, of_other_programs_are_of_those_that_are_named) {
  suite_paper paper = two_mechanisms();
  suite_run other;
  other.name = "resident sets";
  other.instead = {{"a", "a-resident"}};
  paper.runs = {other};
  const std::vector<wanted_run> runs = runs_of(paper, {});
  EXPECT_EQ(runs.back().program_for("a"), "a-resident");
  EXPECT_EQ(runs.back().program_for("b"), "");
  EXPECT_EQ(runs.front().program_for("b"), "b");
  EXPECT_EQ(runs.back().key(), runs.front().key());
}

TEST(points_of_a_sweep, set_a_key_of_the_machine_for_the_baseline_too) {
  suite_sweep sweep;
  sweep.key = "cache.l2.size";
  sweep.values = {"32 KiB", "128 KiB"};
  sweep.with = {{"cache.l2.latency", {"4 cycles", "6 cycles"}}};
  sweep.runs = {"lapt"};
  const std::vector<sweep_point> points = points_of(two_mechanisms(), sweep, small());
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(titles_of(points[1].runs), (std::vector<std::string>{"baseline", "lapt"}));
  for (const wanted_run& run : points[1].runs) {
    EXPECT_EQ(run.settings,
              (std::vector<std::string>{"cache.l2.size=64 KiB", "cache.l2.size=128 KiB",
                                        "cache.l2.latency=6 cycles"}));
  }
}

TEST(points_of_a_sweep, give_a_parameter_to_its_mechanism_alone) {
  suite_sweep sweep;
  sweep.key = "mvas:alpha";
  sweep.values = {"0.1"};
  sweep.runs = {"lapt", "mvas"};
  const std::vector<sweep_point> points = points_of(two_mechanisms(), sweep, small());
  ASSERT_EQ(points.size(), 1u);
  const std::vector<wanted_run>& runs = points[0].runs;
  ASSERT_EQ(titles_of(runs), (std::vector<std::string>{"baseline", "lapt", "mvas"}));
  EXPECT_TRUE(runs[0].parameters.empty());
  EXPECT_TRUE(runs[1].parameters.empty());
  EXPECT_EQ(runs[2].parameters, std::vector<std::string>{"alpha=0.1"});
}

TEST(points_of_a_sweep, are_none_for_a_class_that_it_does_not_name) {
  suite_sweep sweep;
  sweep.key = "link.inter.latency";
  sweep.values = {"10 cycles"};
  sweep.runs = {"lapt"};
  sweep.classes = {"W"};
  EXPECT_TRUE(points_of(two_mechanisms(), sweep, small()).empty());
  sweep.classes = {"W", "S"};
  EXPECT_EQ(points_of(two_mechanisms(), sweep, small()).size(), 1u);
}

}  // namespace numatch::reproduce
