// SPDX-License-Identifier: Apache-2.0
#include "reproduce/suite.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "reproduce/find_program.hpp"

namespace numatch::reproduce {

namespace {

namespace fs = std::filesystem;

constexpr const char* whole = R"(summary = "two programs"
[[program]]
name = "a"
file = "folder/a"
arguments = ["--class", "{class}", "-t{threads}"]
environment = { WAIT = "passive" }
threads = 4
[[program]]
name = "b"
file = "/bin/b"
region_of_interest = false
[[class]]
name = "S"
time_scale = 10
set = ["cache.l2.size=64 KiB"]
note = "It is small."
[[paper]]
name = "p"
title = "A paper"
machine = "simics-4x2"
mechanisms = ["oracle", "lapt"]
halves = ["lapt"]
tables = ["time", "hardware"]
[[paper.figure]]
mechanism = "lapt"
quantity = "time"
over = "b"
percent = -10.5
where = "section 5"
)";

class suite_file : public testing::Test {
 protected:
  ~suite_file() override { fs::remove(file_); }

  result<suite> read(std::string text) {
    std::ofstream(file_) << text;
    return read_suite(file_);
  }
  /// The suite with one text replaced.
  result<suite> read_with(const std::string& what, const std::string& by) {
    std::string text = whole;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return read(text.replace(at, what.size(), by));
  }
  void expect_error(const result<suite>& read, const std::string& line, const std::string& what) {
    ASSERT_FALSE(read.has_value());
    EXPECT_NE(read.error().message().find(file_.string() + ":" + line + ": "), std::string::npos)
        << read.error().message();
    EXPECT_NE(read.error().message().find(what), std::string::npos) << read.error().message();
  }

  fs::path file_ = fs::path(testing::TempDir()) /
                   (std::string("numatch_") +
                    testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml");
};

}  // namespace

TEST_F(suite_file, has_programs_classes_and_papers_in_their_order) {
  const result<suite> found = read(whole);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->programs.size(), 2u);
  EXPECT_EQ(found->programs[0].threads, 4u);
  EXPECT_EQ(found->programs[0].environment.at("WAIT"), "passive");
  EXPECT_FALSE(found->programs[1].region_of_interest);
  EXPECT_EQ(found->classes.at(0).time_scale, 10);
  ASSERT_EQ(found->papers.size(), 1u);
  EXPECT_EQ(found->papers[0].tables, (std::vector{quantity::time, quantity::hardware}));
  EXPECT_EQ(found->papers[0].figures.at(0).percent, -10.5);
}

TEST_F(suite_file, fills_class_and_threads_into_a_command) {
  const result<suite> found = read(whole);
  ASSERT_TRUE(found.has_value());
  const std::vector<std::string> words =
      filled(found->programs[0].arguments, places_of(found->programs[0], found->classes[0]));
  EXPECT_EQ(words, (std::vector<std::string>{"--class", "S", "-t4"}));
}

TEST_F(suite_file, names_the_line_of_an_unknown_key_and_the_nearest_one) {
  expect_error(read_with("threads = 4", "thread = 4"), "7", "did you mean 'threads'?");
}

TEST_F(suite_file, names_the_table_that_misses_a_key) {
  expect_error(read_with("file = \"folder/a\"", ""), "2", "'file' is missing");
}

TEST_F(suite_file, refuses_a_value_of_the_wrong_kind) {
  expect_error(read_with("threads = 4", "threads = \"four\""), "7", "must be a number");
  expect_error(read_with("[\"oracle\", \"lapt\"]", "[\"oracle\", 3]"), "21", "a list of texts");
  expect_error(read_with("= false", "= 0"), "11", "must be true or false");
}

TEST_F(suite_file, refuses_no_threads) {
  expect_error(read_with("threads = 4", "threads = 0"), "7", "from 1 to");
}

TEST_F(suite_file, refuses_a_quantity_that_does_not_exist) {
  expect_error(read_with("quantity = \"time\"", "quantity = \"tine\""), "26",
               "did you mean 'time'?");
}

TEST_F(suite_file, refuses_a_figure_of_a_program_that_it_does_not_have) {
  expect_error(read_with("over = \"b\"", "over = \"c\""), "27", "there is no program 'c'");
}

TEST_F(suite_file, refuses_a_figure_of_a_mechanism_that_the_paper_does_not_run) {
  expect_error(read_with("mechanism = \"lapt\"", "mechanism = \"sammu\""), "25",
               "not among the paper's mechanisms");
}

TEST_F(suite_file, wants_a_reason_where_a_class_is_scaled) {
  expect_error(read_with("note = \"It is small.\"", ""), "12", "'note' is missing");
}

TEST_F(suite_file, refuses_a_name_that_is_there_twice) {
  expect_error(read_with("name = \"b\"", "name = \"a\""), "8", "'a' is there twice");
}

TEST_F(suite_file, names_the_line_of_broken_toml) {
  expect_error(read_with("threads = 4", "threads = = 4"), "7", "");
}

TEST_F(suite_file, reads_layouts_and_where_programs_come_from) {
  const result<suite> found =
      read(R"(summary = "one program"
sources = "a directory"
[[layout]]
name = "sources"
has = ["Makefile"]
build = ["make", "{program}"]
copy = ["src"]
defaults = { "a" = "b" }
file = "bin/{program}"
)" + std::string(R"([[program]]
name = "a"
package = "an-a"
size = { S = "1" }
words = { version = "2" }
inputs = "{class}.tar"
prepare = ["touch", "x"]
arguments_from = ["echo", "x"]
)") +
           std::string(whole).substr(
               std::string(whole).find("[[class]]"),
               std::string(whole).find("[[paper.figure]]") - std::string(whole).find("[[class]]")));
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->layouts.size(), 1u);
  EXPECT_EQ(found->layouts[0].build, (std::vector<std::string>{"make", "{program}"}));
  EXPECT_EQ(found->layouts[0].defaults.at("a"), "b");
  EXPECT_EQ(found->programs[0].file, "");
  EXPECT_EQ(found->programs[0].package, "an-a");
  EXPECT_EQ(found->programs[0].size.at("S"), "1");
  EXPECT_EQ(found->programs[0].inputs, "{class}.tar");
}

TEST_F(suite_file, without_layouts_wants_the_file_of_each_program) {
  const result<suite> found = read_with("file = \"folder/a\"\n", "");
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message().find("'file'"), std::string::npos) << found.error().message();
}

TEST_F(suite_file, refuses_a_size_that_leaves_out_a_class) {
  const result<suite> found = read_with("threads = 4", "size = { W = \"3\" }");
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message().find("says nothing of class S"), std::string::npos);
}

TEST_F(suite_file, refuses_a_layout_that_copies_without_building) {
  const result<suite> found =
      read_with("[[program]]\nname = \"a\"",
                "sources = \"x\"\n[[layout]]\nname = \"l\"\nhas = [\"h\"]\nfile = \"f\"\n"
                "copy = [\"c\"]\n[[program]]\nname = \"a\"");
  ASSERT_FALSE(found.has_value());
  EXPECT_NE(found.error().message().find("'build'"), std::string::npos) << found.error().message();
}

class a_suite_of_ours : public testing::TestWithParam<const char*> {};

TEST_P(a_suite_of_ours, can_be_read) {
  const result<std::filesystem::path> file = find_suite(GetParam());
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const result<suite> found = read_suite(*file);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_GE(found->programs.size(), 6u);
}

INSTANTIATE_TEST_SUITE_P(, a_suite_of_ours, testing::Values("npb", "parsec", "debian"));

TEST(the_built_in_suite, can_be_read) {
  const result<std::filesystem::path> file = find_suite("builtin");
  ASSERT_TRUE(file.has_value()) << file.error().message();
  const result<suite> found = read_suite(*file);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->programs.size(), 16u);
}

TEST(a_suite_that_does_not_exist, is_answered_with_the_nearest_name) {
  const result<std::filesystem::path> file = find_suite("bultin");
  ASSERT_FALSE(file.has_value());
  EXPECT_NE(file.error().message().find("builtin"), std::string::npos);
}

TEST_F(suite_file, has_papers_of_some_of_its_programs) {
  const result<suite> all = read(whole);
  ASSERT_TRUE(all.has_value()) << all.error().message();
  EXPECT_EQ(all->papers[0].programs, (std::vector<std::string>{"a", "b"}));
  const result<suite> some =
      read_with("machine = \"simics-4x2\"", "machine = \"simics-4x2\"\nprograms = [\"b\"]");
  ASSERT_TRUE(some.has_value()) << some.error().message();
  EXPECT_EQ(some->papers[0].programs, std::vector<std::string>{"b"});
  expect_error(
      read_with("machine = \"simics-4x2\"", "machine = \"simics-4x2\"\nprograms = [\"c\"]"), "21",
      "there is no program 'c'");
}

TEST_F(suite_file, has_runs_and_classes_of_a_paper) {
  const result<suite> found = read(std::string(whole) + R"([[paper.run]]
name = "low alpha"
mechanism = "mvas"
parameters = ["alpha=0.5"]
set = ["os.page_move=0 cycles"]
region_of_interest = false
instead = { a = "b" }
[[paper.class]]
name = "S"
time_scale = 1000
note = "It is shorter."
)");
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->papers[0].runs.size(), 1u);
  EXPECT_EQ(found->papers[0].runs[0].parameters, std::vector<std::string>{"alpha=0.5"});
  EXPECT_EQ(found->papers[0].runs[0].settings, std::vector<std::string>{"os.page_move=0 cycles"});
  EXPECT_EQ(found->papers[0].runs[0].region_of_interest, false);
  EXPECT_EQ(found->papers[0].runs[0].instead.at("a"), "b");
  ASSERT_EQ(found->papers[0].classes.size(), 1u);
  EXPECT_EQ(found->papers[0].classes[0].time_scale, 1000);
}

namespace {

constexpr const char* sweep = R"toml([[paper.sweep]]
title = "Sizes"
key = "cache.l2.size"
values = ["32 KiB", "64 KiB"]
with = { "cache.l2.latency" = ["4 cycles", "5 cycles"] }
classes = ["S"]
programs = ["a"]
runs = ["lapt", "lapt (pages)"]
quantities = ["time", "cpi"]
)toml";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST_F(suite_file, has_sweeps_of_a_paper) {
  const result<suite> found = read(std::string(whole) + sweep);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  ASSERT_EQ(found->papers[0].sweeps.size(), 1u);
  const suite_sweep& read = found->papers[0].sweeps[0];
  EXPECT_EQ(read.values, (std::vector<std::string>{"32 KiB", "64 KiB"}));
  EXPECT_EQ(read.with.at("cache.l2.latency").at(1), "5 cycles");
  EXPECT_EQ(read.programs, std::vector<std::string>{"a"});
  EXPECT_EQ(read.quantities,
            (std::vector<quantity>{quantity::time, quantity::cycles_per_instruction}));
}

TEST_F(suite_file, names_what_is_wrong_with_a_sweep) {
  const auto with = [&](const std::string& what, const std::string& by) {
    return read(whole + replaced(sweep, what, by));
  };
  expect_error(with("[\"32 KiB\", \"64 KiB\"]", "[]"), "33", "'values' has no value");
  expect_error(with(", \"5 cycles\"", ""), "34", "'cache.l2.latency' has 1 values for 2");
  expect_error(with("[\"S\"]", "[\"Z\"]"), "35", "there is no class 'Z'");
  expect_error(with("[\"a\"]", "[\"d\"]"), "36", "there is no program 'd'");
  expect_error(with("\"lapt\", ", "\"sammu\", "), "37", "there is no column 'sammu'");
  expect_error(with("\"cpi\"", "\"exclusivity\""), "38",
               "exclusivity changes with page.size alone");
}

TEST_F(suite_file, refuses_a_table_of_what_only_a_sweep_has) {
  expect_error(read_with("\"time\", \"hardware\"", "\"time\", \"cpi\""), "23",
               "'cpi' is for a sweep");
}

}  // namespace numatch::reproduce
