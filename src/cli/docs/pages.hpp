// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/documentation.hpp"

namespace numatch::cli {

/// The man page of one command in the language of man(7), for section 1. The `parent` is the
/// command that it is a part of; null for numatch itself.
std::string man_page(const command_doc& documented, const command_doc* parent);

/// A compiler wrapper, which is a script with no parser of its own.
struct wrapper_doc {
  command_doc command;
  std::string compiler;                 ///< that it calls
  std::vector<option_doc> environment;  ///< variables that it reads
};

/// numatch-cc, numatch-c++ and numatch-fc.
std::vector<wrapper_doc> wrapper_docs();

std::string man_page(const wrapper_doc& documented);

/// "numatch-trace-info"
std::string page_name(const command_doc& documented);

/// The completion of all commands and options for bash; needs bash alone.
std::string bash_completion(const command_doc& program);

/// The same for zsh.
std::string zsh_completion(const command_doc& program);

}  // namespace numatch::cli
