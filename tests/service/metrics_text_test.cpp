// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "control/run_report.hpp"
#include "service/child_line.hpp"
#include "service/merged_metrics.hpp"

namespace numatch::service {
namespace {

TEST(MergedMetrics, SamplesOfAFamilyStandTogetherWithTheirLabels) {
  const std::string one =
      "# TYPE a counter\n# HELP a What.\na_total 1\n# TYPE b gauge\nb 2\n# EOF\n";
  const std::string two =
      "# TYPE b gauge\nb 3\n# TYPE a counter\n# HELP a What.\na_total{why=\"x y\"} 4\n# EOF\n";
  EXPECT_EQ(merge_metrics({{"p=\"1\"", one}, {"p=\"2\"", two}}),
            "# TYPE a counter\n# HELP a What.\na_total{p=\"1\"} 1\na_total{p=\"2\",why=\"x y\"} 4\n"
            "# TYPE b gauge\nb{p=\"1\"} 2\nb{p=\"2\"} 3\n");
}

TEST(MergedMetrics, WhatIsNoSampleIsLeftOut) {
  EXPECT_EQ(merge_metrics({{"p=\"1\"", "a 1\n# TYPE a gauge\n\nword\n a\n# EOF\n"}}),
            "# TYPE a gauge\n");
}

TEST(MergedMetrics, ALabelIsEscaped) {
  EXPECT_EQ(escaped_label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
}

TEST(ChildLine, ADecisionThatDoesSomethingIsASentence) {
  control::decision told;
  told.what = control::deed::would_move;
  told.threads = 8;
  told.pages = 120;
  told.remote_before = 0.75;
  told.remote_planned = 0.05;
  EXPECT_EQ(shown_child_line(as_json_line(told)),
            "would move 8 threads, 120 pages: remote uses 75.0 % now (sampled), 5.0 % then "
            "(calculated)");
  told.what = control::deed::took_back;
  told.remote_after = 0.8;
  EXPECT_EQ(shown_child_line(as_json_line(told)),
            "took back 8 threads, 120 pages: remote uses 75.0 % before, 80.0 % after (sampled)");
}

TEST(ChildLine, ADecisionThatDoesNothingIsNotTold) {
  EXPECT_EQ(shown_child_line(control::as_json_line({})), "");
}

TEST(ChildLine, OtherLinesAreTold) {
  EXPECT_EQ(shown_child_line("numatch: process 1: gone"), "process 1: gone");
  EXPECT_EQ(shown_child_line("  saw  3"), "saw  3");
  EXPECT_EQ(shown_child_line(""), "");
  EXPECT_EQ(shown_child_line("   "), "");
}

TEST(ChildLine, DamagedJsonIsTold) {
  EXPECT_EQ(shown_child_line("{\"what\""), "{\"what\"");
  EXPECT_EQ(shown_child_line("{\"what\": 3}"), "{\"what\": 3}");
}

}  // namespace
}  // namespace numatch::service
