// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace numatch::frontend {

/// The ELF file that a command line finally runs, with the arguments that it gets: a script's
/// interpreter takes the script's place, as execve does it.
struct program_file {
  std::filesystem::path path;
  std::vector<std::string> arguments;  ///< argv, argv[0] included
  bool instrumented = false;           ///< carries the run-time of numatch-cc (marker_section)
};

/// The ELF section by which the instrumentation run-time is recognised.
inline constexpr std::string_view marker_section = ".numatch_runtime";

/// Finds command[0] as execvp does (PATH unless it has a slash) and follows up to four script
/// interpreters. Errors: nothing there, a directory, not executable, neither ELF nor script, a
/// 32-bit program, another processor.
result<program_file> find_program(const std::vector<std::string>& command);

}  // namespace numatch::frontend
