// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"

namespace numatch {

namespace cli {

/// Exit codes of every verb.
enum exit_code : int { fine = 0, answer_is_no = 1, trouble = 2 };

struct example {
  std::string_view command;  ///< "numatch map app.nmp --topology xeon64"
  std::string_view says;     ///< what it does
};

/// A verb's options and its work; made anew for each call of the program. Parses nothing itself:
/// CLI11 fills the members that options() binds.
class command {
 public:
  virtual ~command() = default;
  virtual void options(CLI::App& app) = 0;
  /// The exit code, or an error (printed as one line, exit code 2).
  virtual result<int> run(console& terminal) = 0;
};

}  // namespace cli

/// One verb = one file of cli/verbs that defines `<file>_verb` of this type. Parser, --help, man
/// page and shell completion are made from it and from command::options().
struct verb_entry {
  std::string_view name;
  int order = 0;  ///< place in the list of --help, by how early a newcomer needs it
  std::string_view summary;
  std::string_view description;  ///< paragraphs for --help and the man page
  std::span<const cli::example> examples;
  std::unique_ptr<cli::command> (*make)();
};

/// Generated from the files of cli/verbs, sorted by file name.
std::span<const verb_entry* const> all_verbs();

}  // namespace numatch
