// SPDX-License-Identifier: Apache-2.0
#include "report/simulation_sweep.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/format.hpp"
#include "report/golden.hpp"
#include "report/simulated_runs.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;
using json = nlohmann::json;

/// The runs of a simulation with other execution times of the mapped ones.
sweep_point point(const std::string& key, const std::string& value, simulation like,
                  std::uint64_t cycles) {
  for (std::size_t i = 1; i < like.runs.size(); ++i) like.runs[i].cycles = cycles;
  return {key, value, std::move(like.runs)};
}

std::vector<sweep_point> points_like(const simulation& stated) {
  return {point("tlb.walk", "10 cycles", stated, 18'000'000),
          point("tlb.walk", "120 cycles", stated, 15'000'000),
          point("seed", "2", stated, 17'540'000)};
}

TEST(simulation_sweep, its_table_is_as_before) {
  expect_golden("sweep.txt", text_sweep(two_runs(), points_like(two_runs())));
}

TEST(simulation_sweep, its_json_is_as_before) {
  expect_golden("sweep.json", json_sweep(two_runs(), points_like(two_runs())));
}

TEST(simulation_sweep, any_number_of_mechanisms_fits_100_columns) {
  for (std::size_t count = 1; count <= 9; ++count) {
    const simulation stated = many_runs(count);
    std::vector<sweep_point> points = points_like(stated);
    points.push_back(point(std::string(200, 'k'), std::string(200, 'v'), stated, 1));
    std::istringstream lines(text_sweep(stated, points));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(columns(line), 100u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << "[" << line << "]";
    }
  }
}

TEST(simulation_sweep, every_mechanism_has_a_column) {
  const std::string text = text_sweep(many_runs(8), points_like(many_runs(8)));
  std::size_t tables = 0;
  for (std::size_t at = 0; (at = text.find("\nas stated", at)) != std::string::npos; ++at) ++tables;
  EXPECT_EQ(tables, 3u);
}

TEST(simulation_sweep, a_point_is_measured_against_its_own_baseline) {
  simulation slower = two_runs();
  slower.runs[0].cycles *= 2;
  slower.runs[1].cycles *= 2;
  const std::vector<sweep_point> points{{"seed", "2", slower.runs}};
  const json parsed = json::parse(json_sweep(two_runs(), points));
  const json& option = parsed["options"][0];
  EXPECT_DOUBLE_EQ(option["values"][0]["runs"][1]["change"]["cycles"].get<double>(), -0.123);
  EXPECT_DOUBLE_EQ(option["range"][0]["cycles"].get<double>(), 0);
}

TEST(simulation_sweep, a_range_counts_what_is_stated) {
  const json parsed = json::parse(json_sweep(two_runs(), points_like(two_runs())));
  ASSERT_EQ(parsed["options"].size(), 2u);
  EXPECT_NEAR(parsed["options"][0]["range"][0]["cycles"].get<double>(), 0.9 - 0.75, 1e-12);
  EXPECT_NEAR(parsed["options"][1]["range"][0]["cycles"].get<double>(), 0, 1e-12);
}

TEST(simulation_sweep, without_traffic_there_is_no_change_of_it) {
  simulation silent = two_runs();
  for (sim::run_result& run : silent.runs) run.traffic_bytes.fill(0);
  const std::vector<sweep_point> points{{"seed", "2", silent.runs}};
  const json parsed = json::parse(json_sweep(silent, points));
  EXPECT_TRUE(parsed["options"][0]["range"][0]["traffic_bytes"].is_null());
  EXPECT_NE(text_sweep(silent, points).find("–"), std::string::npos);
}

}  // namespace
}  // namespace numatch::report
