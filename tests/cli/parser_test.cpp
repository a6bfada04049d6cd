// SPDX-License-Identifier: Apache-2.0
#include "cli/parser.hpp"

#include <gtest/gtest.h>

namespace numatch::cli {
namespace {

/// The words of a command as a shell would split it, up to a pipe or a redirection.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  bool open = false;
  for (const char c : line) {
    if (quote == '\0' && (c == '|' || c == '>' || c == ';' || c == '&')) break;
    if (quote == '\0' && c == ' ') {
      if (open) words.push_back(word);
      word.clear();
      open = false;
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
      open = true;
    } else {
      word += c;
      open = true;
    }
  }
  if (open) words.push_back(word);
  return words;
}

/// Parses; the complaint's text, or nothing.
std::string complaint_about(const std::string& line) {
  program_parser parser;
  std::vector<std::string> words = shell_words(line);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  try {
    parser.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::ParseError& wrong) {
    return parser.complaint(wrong).message();
  }
  return "";
}

TEST(Parser, EveryVerbSaysWhatItDoesAndShowsHow) {
  ASSERT_FALSE(all_verbs().empty());
  for (const verb_entry* verb : all_verbs()) {
    EXPECT_FALSE(verb->summary.empty()) << verb->name;
    EXPECT_NE(verb->summary.back(), '.') << verb->name;
    EXPECT_FALSE(verb->description.empty()) << verb->name;
    EXPECT_FALSE(verb->examples.empty()) << verb->name;
  }
}

TEST(Parser, EveryOptionSaysWhatItDoes) {
  for (const command_doc& verb : program_parser().documentation().commands) {
    for (const option_doc& option : verb.options) EXPECT_FALSE(option.says.empty()) << verb.name;
    for (const option_doc& option : verb.arguments) EXPECT_FALSE(option.says.empty()) << verb.name;
  }
}

TEST(Parser, EveryExampleIsACommandLineThatExists) {
  for (const verb_entry* verb : all_verbs()) {
    for (const example& shown : verb->examples) {
      if (!shown.command.starts_with(fmt::format("numatch {}", verb->name))) continue;
      EXPECT_EQ(complaint_about(std::string(shown.command)), "") << shown.command;
    }
  }
}

TEST(Parser, AWrongOptionIsAnsweredWithTheNearestOne) {
  const std::string said = complaint_about("numatch trace --outptu a.nmt -- true");
  EXPECT_EQ(said, "trace: unknown option '--outptu'; did you mean '--output'?");
}

TEST(Parser, AnOptionOfTheProgramIsToldToGoBehindTheDashes) {
  EXPECT_EQ(
      complaint_about("numatch trace ls -l"),
      "trace: unknown option '-l'; an option of the program goes behind --; see numatch trace "
      "--help");
  EXPECT_EQ(complaint_about("numatch report -z"),
            "report: unknown option '-z'; see numatch report --help");
}

TEST(Parser, AComplaintIsOneLine) {
  EXPECT_EQ(complaint_about("numatch trace --tlb-ways x").find('\n'), std::string::npos);
}

TEST(Parser, QuietMayStandBeforeAndAfterTheVerb) {
  for (const char* line : {"numatch -q trace -- true", "numatch trace -q -- true"}) {
    program_parser parser;
    std::vector<std::string> words = shell_words(line);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    parser.parse(static_cast<int>(pointers.size()), pointers.data());
    EXPECT_TRUE(parser.quiet()) << line;
  }
}

}  // namespace
}  // namespace numatch::cli
