// SPDX-License-Identifier: Apache-2.0
#include "control/run_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace numatch::control {
namespace {

run_status some_run() {
  run_status status;
  status.sensor = "wp";
  status.nodes = 4;
  status.seconds = 2.5;
  status.sensing.uses = 1234;
  status.control.remote_first = 0.75;
  status.control.remote_last = 0.05;
  status.control.decisions[static_cast<std::size_t>(deed::moved)] = 2;
  status.control.decisions[static_cast<std::size_t>(deed::took_back)] = 1;
  status.pages.moved_pages = 9;
  status.pages.stayed[static_cast<std::size_t>(live::page_stays::shared)] = 3;
  return status;
}

TEST(RunReport, ADecisionIsOneLineOfJson) {
  const std::string line = as_json_line(
      {.seconds = 1.5, .what = deed::moved, .why = "the \"gain\"", .threads = 3, .pages = 10});
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const nlohmann::json read = nlohmann::json::parse(line);
  EXPECT_EQ(read["what"], "moved");
  EXPECT_EQ(read["why"], "the \"gain\"");
  EXPECT_EQ(read["threads"], 3);
  EXPECT_TRUE(read["remote_after"].is_null());
}

TEST(RunReport, MetricsAreOpenMetricsText) {
  const std::string text = as_open_metrics(some_run());
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  EXPECT_NE(text.find("# TYPE numatch_uses counter\n"), std::string::npos);
  EXPECT_NE(text.find("numatch_uses_total 1234\n"), std::string::npos);
  EXPECT_NE(text.find("numatch_remote_ratio 0.05\n"), std::string::npos);
  EXPECT_NE(text.find("numatch_decisions_total{what=\"moved\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("numatch_pages_stayed_total{reason=\"shared with other processes\"} 3\n"),
            std::string::npos);
}

TEST(RunReport, ThePersonIsToldWhatWasDoneAndHowItIsKnown) {
  const std::string text = as_text(some_run(), false);
  EXPECT_NE(text.find("1234 uses in 2.5 s (sampled by wp)"), std::string::npos) << text;
  EXPECT_NE(text.find("75.0 % of the uses at first, 5.0 % at last (sampled)"), std::string::npos);
  EXPECT_NE(text.find("3 pages: 3 shared with other processes"), std::string::npos);
  EXPECT_NE(text.find("took back  1 times"), std::string::npos);
}

TEST(RunReport, OneNodeHasNothingToPlace) {
  EXPECT_NE(as_text({}, false).find("one NUMA node"), std::string::npos);
}

TEST(RunReport, TheSummaryIsJson) {
  const nlohmann::json read = nlohmann::json::parse(as_json(some_run()));
  EXPECT_EQ(read["decisions"]["took back"], 1);
  EXPECT_EQ(read["pages_stayed"]["shared with other processes"], 3);
}

}  // namespace
}  // namespace numatch::control
