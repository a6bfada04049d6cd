// SPDX-License-Identifier: Apache-2.0
#include "cli/documentation.hpp"

#include <gtest/gtest.h>

#include "cli/docs/pages.hpp"
#include "cli/help.hpp"

namespace numatch::cli {
namespace {

/// A command with one option of each sort.
class Documentation : public testing::Test {
 protected:
  Documentation() : app_("Does a thing", "numatch do") {
    app_.set_help_flag("-h,--help", "Show this help");
    app_.add_option("-o,--output", text_, "Where it goes");
    app_.add_option("--way", way_, "How")->check(CLI::IsMember({"fast", "slow"}));
    app_.add_option("-n,--count", count_, "How often")->capture_default_str();
    app_.add_flag("--json", json_, "Write JSON");
    app_.add_option("INPUT", inputs_, "What to read")->required();
    app_.add_subcommand("part", "Does a part");
  }
  command_doc documented() const { return document("numatch do", app_, nullptr); }

  CLI::App app_;
  std::string text_;
  std::string way_;
  unsigned count_ = 3;
  bool json_ = false;
  std::vector<std::string> inputs_;
};

TEST_F(Documentation, SeparatesArgumentsFromOptions) {
  const command_doc d = documented();
  ASSERT_EQ(d.arguments.size(), 1U);
  EXPECT_EQ(d.arguments[0].names, std::vector<std::string>{"INPUT"});
  EXPECT_TRUE(d.arguments[0].required);
  EXPECT_TRUE(d.arguments[0].repeats);
  EXPECT_EQ(d.options.size(), 5U);
}

TEST_F(Documentation, NamesTheValueOfAnOption) {
  const command_doc d = documented();
  EXPECT_EQ(heading_of(d.options[1]), "-o, --output FILE");
  EXPECT_EQ(heading_of(d.options[2]), "--way WAY");
  EXPECT_EQ(heading_of(d.options[3]), "-n, --count N");
  EXPECT_EQ(heading_of(d.options[4]), "--json");
}

TEST_F(Documentation, KnowsChoicesAndDefaults) {
  const command_doc d = documented();
  EXPECT_EQ(d.options[2].choices, (std::vector<std::string>{"fast", "slow"}));
  EXPECT_EQ(d.options[3].default_value, "3");
}

TEST_F(Documentation, UsageShowsWhatIsNeeded) {
  EXPECT_EQ(usage_of(documented()), "numatch do [OPTION...] INPUT... | COMMAND");
}

TEST_F(Documentation, UsageOffersAFileOrAProgram) {
  CLI::App app("Does a thing", "numatch do");
  std::string file;
  std::vector<std::string> program;
  app.add_option("CMD", program, "Program");
  EXPECT_EQ(usage_of(document("numatch do", app, nullptr)), "numatch do [OPTION...] -- CMD...");
  CLI::App both("Does a thing", "numatch do");
  both.add_option("TRACE", file, "Trace");
  both.add_option("CMD", program, "Program");
  EXPECT_EQ(usage_of(document("numatch do", both, nullptr)),
            "numatch do [OPTION...] (TRACE | -- CMD...)");
}

TEST_F(Documentation, HelpPutsTheDescriptionAboveTheOptions) {
  command_doc d = documented();
  d.paragraphs = {"It does the thing well."};
  d.examples = {{"numatch do it", "does it"}};
  const std::string text = help_text(d, false);
  EXPECT_LT(text.find("It does the thing well."), text.find("Options:"));
  EXPECT_LT(text.find("Options:"), text.find("Examples:"));
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_NE(help_text(d, true).find("\033[1mOptions:"), std::string::npos);
}

TEST_F(Documentation, WrapsAtTheWidth) {
  EXPECT_EQ(wrapped("aa bb cc", 2, 7), "aa bb\n  cc");
  EXPECT_EQ(wrapped("toolongaword b", 0, 4), "toolongaword\nb");
}

TEST_F(Documentation, ManPageEscapesWhatRoffWouldRead) {
  command_doc d = documented();
  d.paragraphs = {".hidden line with a \\ in it"};
  const std::string page = man_page(d, &d);
  EXPECT_NE(page.find("\\&.hidden line with a \\e in it"), std::string::npos);
  EXPECT_NE(page.find("\\fB\\-\\-way\\fR \\fIWAY\\fR"), std::string::npos);
}

}  // namespace
}  // namespace numatch::cli
