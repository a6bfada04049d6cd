// SPDX-License-Identifier: Apache-2.0
#include "reproduce/page_sweeps.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace numatch::reproduce {

namespace {

run_facts facts(std::uint64_t cycles, std::uint64_t running) {
  run_facts made;
  made.cycles = cycles;
  made.running_cycles = running;
  made.instructions = 1000;
  made.tlb_accesses = 200;
  made.tlb_misses = 3;
  made.decisions = 1;
  return made;
}

/// Two programs and three latencies; the mapped run of b at the last one is missing.
suite_results three_latencies() {
  suite_results results;
  results.of.name = "made";
  results.size.name = "S";
  results.papers = {"p"};
  for (const char* const name : {"a", "b", "c"}) {
    suite_program program;
    program.name = name;
    results.of.programs.push_back(program);
  }
  suite_paper paper;
  paper.name = "p";
  paper.title = "A paper";
  paper.machine = "m";
  paper.mechanisms = {"sammu"};
  suite_sweep sweep;
  sweep.title = "Latency <between> chips";
  sweep.key = "link.inter.latency";
  sweep.values = {"10 cycles", "40 cycles", "70 cycles"};
  sweep.programs = {"a", "b"};
  sweep.runs = {"sammu"};
  sweep.quantities = {quantity::time, quantity::cycles_per_instruction};
  sweep.note = "Section 4.4.3 shows it.";
  paper.sweeps = {sweep};
  results.of.papers = {paper};
  std::uint64_t cycles = 1000;
  for (const sweep_point& point : points_of(paper, sweep, results.size)) {
    for (const char* const name : {"a", "b"}) {
      results.programs[name].runs[point.runs[0].key()] = facts(cycles, 2 * cycles);
      results.programs[name].runs[point.runs[1].key()] = facts(900, 1500);
    }
    cycles *= 2;
  }
  const wanted_run last = points_of(paper, sweep, results.size).back().runs[1];
  results.programs["b"].runs.erase(last.key());
  return results;
}

const page_sweep& only_sweep(const page& made) {
  return made.papers.at(0).sweeps.at(0);
}

}  // namespace

TEST(a_sweep, has_changes_against_the_baseline_of_the_same_point) {
  const page made = page_of(three_latencies());
  const page_sweep_table& time = only_sweep(made).tables.at(0);
  ASSERT_EQ(time.lines.size(), 2u);
  EXPECT_EQ(time.lines[0].program, "a");
  EXPECT_EQ(time.lines[0].run, "sammu");
  EXPECT_NEAR(time.lines[0].values.at(0).value(), -10, 1e-9);
  EXPECT_NEAR(time.lines[0].values.at(1).value(), -55, 1e-9);
  EXPECT_NEAR(time.lines[0].values.at(2).value(), -77.5, 1e-9);
}

TEST(a_sweep, has_numbers_of_the_baseline_too) {
  const page made = page_of(three_latencies());
  const page_sweep_table& cpi = only_sweep(made).tables.at(1);
  ASSERT_EQ(cpi.lines.size(), 4u);
  EXPECT_EQ(cpi.lines[0].run, "baseline");
  EXPECT_NEAR(cpi.lines[0].values.at(2).value(), 8, 1e-9);
  EXPECT_NEAR(cpi.lines[1].values.at(2).value(), 1.5, 1e-9);
}

TEST(a_sweep, leaves_out_programs_that_it_does_not_name) {
  const page made = page_of(three_latencies());
  for (const page_sweep_table::line& line : only_sweep(made).tables.at(0).lines) {
    EXPECT_NE(line.program, "c");
  }
}

TEST(a_sweep, has_no_value_where_a_run_is_missing) {
  const page made = page_of(three_latencies());
  EXPECT_FALSE(only_sweep(made).tables.at(0).lines.at(1).values.at(2).has_value());
  const nlohmann::json read = nlohmann::json::parse(json_of(made));
  const nlohmann::json& sweep = read.at("papers").at(0).at("sweeps").at(0);
  EXPECT_TRUE(sweep.at("tables").at(0).at("lines").at(1).at("values").at(2).is_null());
  EXPECT_EQ(sweep.at("points").at(1), "40 cycles");
  EXPECT_EQ(sweep.at("tables").at(1).at("unit"), "number");
}

TEST(a_sweep, is_told_in_text) {
  const std::string text = text_of(page_of(three_latencies()));
  EXPECT_NE(text.find("Latency <between> chips (link.inter.latency)"), std::string::npos) << text;
  EXPECT_NE(text.find("Section 4.4.3 shows it."), std::string::npos) << text;
  EXPECT_NE(text.find("a sammu     -10.0 %     -55.0 %     -77.5 %"), std::string::npos) << text;
  EXPECT_NE(text.find("a baseline        2.00        4.00        8.00"), std::string::npos) << text;
}

TEST(a_sweep, is_lines_in_the_page_with_a_gap_where_a_value_is_missing) {
  const std::string html = html_of(page_of(three_latencies()));
  EXPECT_NE(html.find("aria-label=\"Latency &lt;between&gt; chips: Execution time"),
            std::string::npos);
  EXPECT_NE(html.find("<title>a, sammu, 40 cycles: -55.0 %</title>"), std::string::npos);
  EXPECT_EQ(html.find("<title>b, sammu, 70 cycles"), std::string::npos);
  EXPECT_NE(html.find("class=\"c0 d0\""), std::string::npos);
  EXPECT_NE(html.find("class=\"c1 d1\""), std::string::npos);
}

TEST(a_sweep, shows_the_exclusivity_of_programs_with_each_page_size) {
  suite_results results = three_latencies();
  suite_sweep& sweep = results.of.papers[0].sweeps[0];
  sweep.key = "page.size";
  sweep.values = {"1 KiB", "4 KiB"};
  sweep.quantities = {quantity::exclusivity};
  results.programs["a"].exclusivity = {{"1 KiB", 0.75}, {"4 KiB", 0.5}};
  const page made = page_of(results);
  const page_sweep_table& table = only_sweep(made).tables.at(0);
  ASSERT_EQ(table.lines.size(), 2u);
  EXPECT_EQ(table.lines[0].values, (std::vector<std::optional<double>>{0.75, 0.5}));
  EXPECT_FALSE(table.lines[1].values.at(0).has_value());
}

TEST(a_sweep, for_another_class_is_not_on_the_page) {
  suite_results results = three_latencies();
  results.of.papers[0].sweeps[0].classes = {"W"};
  EXPECT_TRUE(page_of(results).papers.at(0).sweeps.empty());
}

TEST(a_quantity, that_no_table_can_have_is_a_number) {
  EXPECT_EQ(value_text(1.234, quantity::cycles_per_instruction), "1.23");
  EXPECT_EQ(value_text(1.234, quantity::tlb_misses), "1.23 %");
  EXPECT_EQ(value_text(std::nullopt, quantity::time), "–");
}

}  // namespace numatch::reproduce
