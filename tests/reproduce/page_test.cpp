// SPDX-License-Identifier: Apache-2.0
#include "reproduce/page.hpp"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/format.hpp"

namespace numatch::reproduce {

namespace {

/// A run of `cycles` with so much traffic; a thousand instructions.
run_facts facts(std::uint64_t cycles, std::uint64_t traffic) {
  run_facts made;
  made.cycles = cycles;
  made.running_cycles = 8 * cycles;
  made.instructions = 1000;
  made.traffic_bytes = traffic;
  made.hardware_cycles = cycles / 100;
  made.decisions = 1;
  return made;
}

/// The key of the run in a column of the results' first paper.
std::string key(const suite_results& results, std::string_view title) {
  for (const wanted_run& run : runs_of(results.of.papers.at(0), results.size)) {
    if (run.title == title) return run.key();
  }
  throw std::out_of_range(std::string(title));
}

/// Three programs under one mechanism: -50 %, -20 % and a failure.
suite_results three_programs() {
  suite_results results;
  results.of.name = "made";
  results.size.name = "S";
  results.size.time_scale = 100;
  results.size.note = "The class is small.";
  results.papers = {"p"};
  for (const char* const name : {"a", "b", "<c>"}) {
    suite_program program;
    program.name = name;
    results.of.programs.push_back(program);
  }
  suite_paper paper;
  paper.name = "p";
  paper.title = "A paper";
  paper.machine = "m";
  paper.mechanisms = {"lapt"};
  paper.tables = {quantity::time, quantity::traffic, quantity::hardware};
  paper.figures = {{"lapt", quantity::time, "mean", -10.6, "section 5"},
                   {"lapt", quantity::time, "best", -35.4, "section 5"},
                   {"lapt", quantity::time, "b", -19.2, "section 5"},
                   {"lapt", quantity::time, "<c>", -1, "section 5"}};
  results.of.papers = {paper};
  results.programs["a"].runs[key(results, "baseline")] = facts(1000, 100000);
  results.programs["a"].runs[key(results, "lapt")] = facts(500, 50000);
  results.programs["b"].runs[key(results, "baseline")] = facts(1000, 10);
  results.programs["b"].runs[key(results, "lapt")] = facts(800, 40);
  results.programs["<c>"].failure = "it ended with code 1";
  return results;
}

const page_row& row_of(const page_table& table, const std::string& title) {
  for (const page_row& row : table.rows) {
    if (row.title == title) return row;
  }
  throw std::out_of_range(title);
}

}  // namespace

TEST(a_page, has_changes_against_the_baseline_of_each_program) {
  const page made = page_of(three_programs());
  const page_table& time = made.papers.at(0).tables.at(0);
  EXPECT_EQ(time.columns, std::vector<std::string>{"lapt"});
  EXPECT_NEAR(row_of(time, "a").cells.at(0).percent.value(), -50, 1e-9);
  EXPECT_NEAR(row_of(time, "b").cells.at(0).percent.value(), -20, 1e-9);
}

TEST(a_page, has_the_geometric_mean_of_the_quotients) {
  const page made = page_of(three_programs());
  // sqrt(0.5 * 0.8) = 0.6325
  const page_row& mean = row_of(made.papers.at(0).tables.at(0), "geometric mean");
  EXPECT_NEAR(mean.cells.at(0).percent.value(), -36.754, 1e-3);
  EXPECT_TRUE(mean.summary);
}

TEST(a_page, has_the_mean_of_shares_as_it_is) {
  const page made = page_of(three_programs());
  // a hundredth of the cycles over eight threads' time
  const page_table& hardware = made.papers.at(0).tables.at(2);
  EXPECT_FALSE(hardware.relative);
  EXPECT_NEAR(row_of(hardware, "mean").cells.at(0).percent.value(), 0.125, 1e-9);
}

TEST(a_page, has_the_mean_of_traffic_also_without_programs_that_have_next_to_none) {
  const page made = page_of(three_programs());
  const page_table& traffic = made.papers.at(0).tables.at(1);
  EXPECT_NEAR(row_of(traffic, "geometric mean").cells.at(0).percent.value(), 41.421, 1e-3);
  EXPECT_NEAR(row_of(traffic, "of a").cells.at(0).percent.value(), -50, 1e-9);
}

TEST(a_page, puts_ours_beside_the_published_figure) {
  const page made = page_of(three_programs());
  const std::vector<page_figure>& figures = made.papers.at(0).figures;
  ASSERT_EQ(figures.size(), 4u);
  EXPECT_NEAR(figures[0].ours.value(), -36.754, 1e-3);
  EXPECT_NEAR(figures[1].ours.value(), -50, 1e-9);
  EXPECT_EQ(figures[1].of, "a");
  EXPECT_NEAR(figures[2].ours.value(), -20, 1e-9);
  EXPECT_FALSE(figures[3].ours.has_value());
}

TEST(a_page, says_what_failed_and_has_the_others) {
  const page made = page_of(three_programs());
  const std::string text = text_of(made);
  EXPECT_NE(text.find("<c> failed: it ended with code 1."), std::string::npos) << text;
  EXPECT_NE(text.find("-50.0 %"), std::string::npos) << text;
}

TEST(a_page, says_what_was_scaled) {
  const std::string text = text_of(page_of(three_programs()));
  EXPECT_NE(text.find("100 times shorter"), std::string::npos) << text;
  EXPECT_NE(text.find("The class is small."), std::string::npos) << text;
}

TEST(a_page, says_which_mechanism_decided_nothing) {
  suite_results results = three_programs();
  results.programs["b"].runs[key(results, "lapt")].decisions = 0;
  const std::string text = text_of(page_of(results));
  EXPECT_NE(text.find("lapt decided nothing in the short runs of b."), std::string::npos) << text;
}

TEST(a_page, expects_no_decision_of_a_run_that_moves_nothing) {
  suite_results results = three_programs();
  suite_run traced;
  traced.name = "traced";
  traced.mechanism = "mvas";
  traced.parameters = {"act-on=none"};
  results.of.papers[0].runs = {traced};
  results.programs["a"].runs[key(results, "traced")] = facts(1000, 10);
  results.programs["a"].runs[key(results, "traced")].decisions = 0;
  const std::string text = text_of(page_of(results));
  EXPECT_EQ(text.find("traced decided nothing"), std::string::npos) << text;
}

TEST(a_page, has_sharing_matrices_with_their_likeness_to_the_oracles) {
  suite_results results = three_programs();
  results.of.papers[0].sharing = {"oracle", "lapt", "sammu"};
  sharing_matrix chain(3);
  chain.set(0, 1, 10);
  chain.set(1, 2, 10);
  sharing_matrix other(3);
  other.set(0, 2, 5);
  results.programs["a"].sharing = {{"oracle", chain}, {"lapt", chain}, {"sammu", other}};
  const page made = page_of(results);
  const std::vector<page_matrix>& matrices = made.papers.at(0).matrices;
  ASSERT_EQ(matrices.size(), 3u);
  EXPECT_NEAR(matrices[1].like_oracle.value(), 1, 1e-9);
  EXPECT_NEAR(matrices[2].like_oracle.value(), -1, 1e-9);
  EXPECT_NE(text_of(made).find("lapt 1.00 (2)  sammu -1.00 (1)"), std::string::npos)
      << text_of(made);
  EXPECT_NE(html_of(made).find("aria-label=\"a, sammu\""), std::string::npos);
  const nlohmann::json read = nlohmann::json::parse(json_of(made));
  EXPECT_EQ(read.at("papers").at(0).at("sharing").at(0).at("between_threads").at(2).at(1), 10);
}

TEST(a_page, shows_what_a_run_counted_where_no_recorded_program_tells) {
  suite_results results = three_programs();
  results.of.papers[0].sharing = {"oracle", "lapt"};
  sharing_matrix pair(3);
  pair.set(0, 1, 10);
  results.programs["a"].sharing = {{"oracle", pair}};
  results.programs["a"].seen[key(results, "lapt")] = pair;
  const page made = page_of(results);
  const std::vector<page_matrix>& matrices = made.papers.at(0).matrices;
  ASSERT_EQ(matrices.size(), 2u);
  EXPECT_EQ(matrices[1].detector, "lapt");
  EXPECT_EQ(matrices[1].pairs, 1u);
  EXPECT_NEAR(matrices[1].like_oracle.value(), 1, 1e-9);
}

TEST(a_page, compares_a_program_with_what_runs_in_its_place) {
  suite_results results = three_programs();
  suite_run other;
  other.name = "resident sets";
  other.instead = {{"a", "b"}};
  results.of.papers[0].runs = {other};
  const page made = page_of(results);
  const page_table& traffic = made.papers.at(0).tables.at(1);
  EXPECT_EQ(traffic.columns, (std::vector<std::string>{"lapt", "resident sets"}));
  EXPECT_NEAR(row_of(traffic, "a").cells.at(1).percent.value(), -99.99, 1e-9);
  EXPECT_FALSE(row_of(traffic, "b").cells.at(1).percent.has_value());
}

TEST(a_page, compares_programs_with_one_of_them_where_the_paper_does) {
  suite_results results = three_programs();
  suite_paper& paper = results.of.papers[0];
  paper.mechanisms.clear();
  paper.figures.clear();
  paper.against = "a";
  paper.tables = {quantity::traffic};
  suite_run whole;
  whole.name = "whole";
  paper.runs = {whole};
  for (const auto& [program, bytes] : {std::pair{"a", 200}, std::pair{"b", 50}}) {
    results.programs[program].runs[key(results, "whole")] =
        facts(1000, static_cast<std::uint64_t>(bytes));
  }
  const page made = page_of(results);
  const page_table& traffic = made.papers.at(0).tables.at(0);
  EXPECT_EQ(traffic.columns, std::vector<std::string>{"whole"});
  EXPECT_NEAR(row_of(traffic, "a").cells.at(0).percent.value(), 0, 1e-9);
  EXPECT_NEAR(row_of(traffic, "b").cells.at(0).percent.value(), -75, 1e-9);
  EXPECT_EQ(traffic.rows.size(), 3u);  // no mean over what is compared with each other
}

TEST(a_page, says_of_which_programs_nobody_counted_instructions) {
  suite_results results = three_programs();
  results.programs["b"].counts_instructions = false;
  const std::string text = text_of(page_of(results));
  EXPECT_NE(text.find("Each access of b is taken for one instruction."), std::string::npos) << text;
}

TEST(a_page, says_what_a_paper_scales_for_itself) {
  suite_results results = three_programs();
  results.of.papers[0].classes = {
      {.name = "S", .time_scale = 5000, .settings = {"cache.l3.size=1 MiB"}, .note = "Why not."}};
  const page_paper paper = page_of(results).papers.at(0);
  const std::string text = fmt::format("{}", fmt::join(paper.notes, "|"));
  EXPECT_NE(text.find("5000 times shorter"), std::string::npos) << text;
  EXPECT_NE(text.find("cache.l3.size=1 MiB"), std::string::npos) << text;
  EXPECT_NE(text.find("Why not."), std::string::npos) << text;
}

TEST(a_page, leaves_out_papers_that_nobody_asked_for) {
  suite_results results = three_programs();
  results.papers = {};
  EXPECT_TRUE(page_of(results).papers.empty());
}

TEST(a_page, is_the_same_from_the_same_results) {
  EXPECT_EQ(html_of(page_of(three_programs())), html_of(page_of(three_programs())));
  EXPECT_EQ(json_of(page_of(three_programs())), json_of(page_of(three_programs())));
}

TEST(a_page, escapes_names_in_html) {
  const std::string html = html_of(page_of(three_programs()));
  EXPECT_EQ(html.find("<c>"), std::string::npos);
  EXPECT_NE(html.find("&lt;c&gt;"), std::string::npos);
}

TEST(a_page, has_every_number_in_json) {
  const nlohmann::json read = nlohmann::json::parse(json_of(page_of(three_programs())));
  const nlohmann::json& paper = read.at("papers").at(0);
  EXPECT_NEAR(paper.at("tables").at(0).at("rows").at(0).at("percent").at("lapt").get<double>(), -50,
              1e-9);
  EXPECT_TRUE(paper.at("figures").at(3).at("simulated_percent").is_null());
  EXPECT_EQ(paper.at("figures").at(0).at("published_percent").get<double>(), -10.6);
}

TEST(a_page, has_lines_of_at_most_a_hundred_columns) {
  suite_results results = three_programs();
  results.of.papers[0].mechanisms.clear();
  for (int i = 0; i < 20; ++i)
    results.of.papers[0].mechanisms.push_back(fmt::format("method{}", i));
  results.of.papers[0].figures.clear();
  std::istringstream text(text_of(page_of(results)));
  std::size_t longest = 0;
  for (std::string line; std::getline(text, line);)
    longest = std::max(longest, report::columns(line));
  EXPECT_LE(longest, 100u);
}

TEST(runs_of_a_paper, are_the_baseline_the_mechanisms_and_their_halves) {
  suite_paper paper;
  paper.mechanisms = {"oracle", "lapt"};
  paper.halves = {"lapt"};
  std::vector<std::string> names;
  for (const wanted_run& run : runs_of(paper, {})) names.push_back(run.title);
  EXPECT_EQ(names, (std::vector<std::string>{"baseline", "oracle", "lapt", "lapt (threads)",
                                             "lapt (pages)"}));
}

TEST(a_quantity, of_a_baseline_that_has_none_is_unknown) {
  EXPECT_FALSE(value_of(quantity::traffic, facts(1, 5), facts(1, 0)).has_value());
  EXPECT_FALSE(value_of(quantity::handled, facts(1, 5), facts(1, 0)).has_value());
}

TEST(a_quantity, is_found_by_its_key) {
  for (const quantity_entry& entry : all_quantities()) {
    ASSERT_NE(find_quantity(entry.key), nullptr);
    EXPECT_EQ(find_quantity(entry.key)->what, entry.what);
    EXPECT_EQ(&entry_of(entry.what), find_quantity(entry.key));
  }
  EXPECT_EQ(find_quantity("speed"), nullptr);
}

}  // namespace numatch::reproduce
