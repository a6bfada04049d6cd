// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "cli/documentation.hpp"
#include "cli/verb.hpp"

namespace numatch::cli {

/// The parser of the whole command line with the commands that it fills.
class program_parser {
 public:
  program_parser();
  program_parser(const program_parser&) = delete;
  program_parser& operator=(const program_parser&) = delete;

  /// Fills the verbs' options from the command line. Throws what CLI11 throws.
  void parse(int argc, char** argv) { app_.parse(argc, argv); }

  bool quiet() const { return quiet_; }
  /// The verb that parse() met, or null; its name is verb_name().
  command* work() const;
  /// What is wrong with the command line, after parse() threw `wrong`: names the command, and for
  /// an option that does not exist the nearest one that does.
  error complaint(const CLI::ParseError& wrong) const;

  bool knows_verb(std::string_view word) const;
  std::vector<std::string_view> verb_names() const;

  /// The program's own documentation: its commands are the verbs.
  command_doc documentation() const;
  /// The documentation of the (sub-)command that parse() reached, for --help.
  command_doc documentation_of_parsed() const;

 private:
  /// One verb's parser and the command that it fills.
  struct attached {
    const verb_entry* entry;
    CLI::App* parser;
    std::unique_ptr<command> work;
  };

  CLI::App app_;
  bool quiet_ = false;
  std::vector<attached> verbs_;
};

}  // namespace numatch::cli
