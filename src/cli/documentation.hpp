// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/verb.hpp"

namespace numatch::cli {

/// One option or argument as it is documented.
struct option_doc {
  std::vector<std::string> names;    ///< "-o", "--output"; of an argument its one name, "PROFILE"
  std::string value;                 ///< "FILE"; empty for a flag and for an argument
  std::string says;                  ///< what it does, without the default
  std::string default_value;         ///< empty when there is none to show
  std::vector<std::string> choices;  ///< the values that it takes, where they are a closed list
  bool required = false;
  bool repeats = false;
};

/// One command with all that --help, its man page and the completions say about it.
struct command_doc {
  std::string name;  ///< "numatch", "numatch map", "numatch trace info"
  std::string summary;
  std::vector<std::string> paragraphs;
  std::vector<option_doc> arguments;
  std::vector<option_doc> options;
  std::vector<command_doc> commands;
  std::vector<example> examples;
};

/// Reads what the parser `app` knows. `verb` adds description and examples; null for sub-commands.
command_doc document(const std::string& name, const CLI::App& app, const verb_entry* verb);

/// Whether the argument is a program with its own arguments, which go behind "--".
bool is_program(const option_doc& argument);

/// "numatch map [OPTION...] [PROFILE]"
std::string usage_of(const command_doc& documented);

/// "-o, --output FILE"
std::string heading_of(const option_doc& option);

/// `text` in lines of at most `width` columns, every line but the first indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

}  // namespace numatch::cli
