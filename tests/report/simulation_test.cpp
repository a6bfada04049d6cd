// SPDX-License-Identifier: Apache-2.0
#include "report/simulation.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/format.hpp"
#include "report/golden.hpp"
#include "report/simulated_runs.hpp"
#include "report/simulation_metrics.hpp"

namespace numatch::report {
namespace {

using namespace numatch::test;
using json = nlohmann::json;

void expect_fits(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns(line), 100u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << "[" << line << "]";
  }
}

/// The line of the table with this label, or an empty one.
std::string row(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  " + label)) return line;
  }
  return "";
}

TEST(simulation, its_table_is_as_before) {
  expect_golden("simulation.txt", text_simulation(two_runs()));
}

TEST(simulation, its_short_table_is_as_before) {
  expect_golden("simulation_short.txt", text_simulation(many_runs(6)));
}

TEST(simulation, its_json_is_as_before) {
  expect_golden("simulation.json", json_simulation(two_runs()));
}

TEST(simulation, its_timeline_is_as_before) {
  expect_golden("simulation_timeline.csv", csv_timeline(two_runs()));
}

TEST(simulation, tables_of_any_number_of_runs_fit_100_columns) {
  for (std::size_t count = 1; count <= 7; ++count) {
    expect_fits(text_simulation(many_runs(count)));
    expect_fits(text_simulation_in_short(many_runs(count)));
  }
}

TEST(simulation, the_baselines_name_is_not_cut) {
  simulation done = two_runs();
  done.runs.front().mechanism = "compact+first-touch";
  EXPECT_NE(text_simulation(done).find("  compact+first-touch  "), std::string::npos);
}

TEST(simulation, extreme_numbers_fit_100_columns) {
  simulation done = many_runs(4);
  for (sim::run_result& run : done.runs) {
    run.cycles = ~std::uint64_t{0} / 2;
    run.instructions = 1;
    run.traffic_bytes.fill(~std::uint64_t{0} / 16);
  }
  done.runs.front().cycles = 1;
  done.runs.front().traffic_bytes.fill(1);
  expect_fits(text_simulation(done));
  expect_fits(text_simulation_in_short(done));
}

TEST(simulation, a_long_command_is_cut) {
  simulation done = two_runs();
  done.program = std::string(500, 'x') + "\n";
  done.settings = {{"memory.channels", "4"}, {"tlb.walk", std::string(30, '5')}};
  done.notes = {std::string("word ") + std::string(90, 'y')};
  expect_fits(text_simulation(done));
}

TEST(simulation, it_says_that_it_is_simulated_where_and_how) {
  const std::string text = text_simulation(two_runs());
  for (const char* said : {"Simulated on simics-4x2", "seed 7", "phases of 20000 cycles",
                           "All figures are simulated", "os+interleave"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said;
  }
}

TEST(simulation, a_time_scale_is_told_only_where_there_is_one) {
  simulation done = two_runs();
  EXPECT_EQ(text_simulation(done).find("Time scale"), std::string::npos);
  done.time_scale = 10;
  EXPECT_NE(text_simulation(done).find("Time scale 10"), std::string::npos);
  EXPECT_NE(text_simulation(done).find("unscaled rate"), std::string::npos);
}

TEST(simulation, changed_settings_are_told) {
  simulation done = two_runs();
  done.settings = {{"memory.channels", "4"}};
  EXPECT_NE(text_simulation(done).find("memory.channels=4"), std::string::npos);
}

TEST(simulation, one_run_has_no_changes) {
  const std::string text = text_simulation(with_runs({baseline_run()}));
  EXPECT_EQ(text.find("change against"), std::string::npos);
  EXPECT_EQ(row(text, "execution time, ms"), "  execution time, ms                   10.0");
}

TEST(simulation, rows_without_anything_are_left_out) {
  const std::string text = text_simulation(two_runs());
  EXPECT_EQ(row(text, "induced faults"), "");
  EXPECT_EQ(row(text, "pages replicated"), "");
  EXPECT_NE(row(text, "page copies"), "");
}

TEST(simulation, the_parts_of_an_instructions_cycles_add_up_to_it) {
  double whole = 0;
  double parts = 0;
  for (const metric& m : metrics_of(two_runs().runs)) {
    if (m.key == "cpi") whole = number_of(m.values[1]).value();
    if (m.group == "cpi_stack" && m.row == metric_row::always)
      parts += number_of(m.values[1]).value();
  }
  EXPECT_DOUBLE_EQ(whole, 3.05);
  EXPECT_NEAR(parts, whole, 1e-12);
}

TEST(simulation, shares_of_nothing_are_no_number) {
  sim::run_result idle;
  idle.mechanism = "idle";
  const simulation done = with_runs({idle, idle});
  EXPECT_NE(row(text_simulation(done), "cycles per instruction").find("–"), std::string::npos);
  const json parsed = json::parse(json_simulation(done));
  EXPECT_TRUE(parsed["runs"][0]["time"]["cpi"].is_null());
  EXPECT_TRUE(parsed["runs"][1]["change"]["time"]["cpi"].is_null());
}

TEST(simulation, json_has_whole_numbers_and_changes) {
  const json parsed = json::parse(json_simulation(two_runs()));
  EXPECT_EQ(parsed["evidence"], "simulated");
  const json& lapt = parsed["runs"][1];
  EXPECT_EQ(lapt["time"]["cycles"], 17'540'000);
  EXPECT_DOUBLE_EQ(lapt["change"]["time"]["cycles"].get<double>(), -0.123);
  EXPECT_DOUBLE_EQ(lapt["overhead"]["handled_share"].get<double>(), 0.9);
  EXPECT_DOUBLE_EQ(lapt["overhead"]["software_share"].get<double>(), 0.004);
  EXPECT_FALSE(parsed["runs"][0].contains("change"));
  EXPECT_TRUE(parsed["runs"][0]["placement"]["first_page_move_ms"].is_null());
}

TEST(simulation, every_traffic_class_is_in_the_total) {
  const json traffic = json::parse(json_simulation(two_runs()))["runs"][1]["traffic"];
  std::uint64_t sum = 0;
  for (const auto& [key, value] : traffic.items()) {
    if (key != "total_bytes" && key != "inside_bytes") sum += value.get<std::uint64_t>();
  }
  EXPECT_EQ(traffic.size(), sim::traffic_classes + 2);
  EXPECT_EQ(traffic["total_bytes"], sum);
}

TEST(simulation, the_timeline_of_a_csv_reader_has_one_width) {
  simulation done = two_runs();
  done.runs[1].mechanism = "plain";
  std::istringstream lines(csv_timeline(done));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 13) << line;
  }
  EXPECT_EQ(count, 4u);
}

TEST(simulation, names_with_commas_are_quoted_in_csv) {
  simulation done = two_runs();
  done.runs[1].mechanism = "a,\"b\"";
  EXPECT_NE(csv_timeline(done).find("\n\"a,\"\"b\"\"\",piece,"), std::string::npos);
}

TEST(simulation, the_json_timeline_has_pieces_and_decisions) {
  const json run = json::parse(json_timeline(two_runs()))["runs"][1];
  EXPECT_EQ(run["timeline"].size(), 2u);
  EXPECT_DOUBLE_EQ(run["timeline"][0]["end_ms"].get<double>(), 5);
  EXPECT_EQ(run["decisions"][0]["pages_asked"], 720);
}

TEST(simulation, changes_are_short_and_honest) {
  EXPECT_EQ(change(87.7, 100), "-12.3 %");
  EXPECT_EQ(change(112.3, 100), "+12.3 %");
  EXPECT_EQ(change(100, 100), "=");
  EXPECT_EQ(change(100.001, 100), "~ 0 %");
  EXPECT_EQ(change(0, 100), "-100.0 %");
  EXPECT_EQ(change(1234, 100), "x 12.3");
  EXPECT_EQ(change(1, 0), "");
}

}  // namespace
}  // namespace numatch::report
