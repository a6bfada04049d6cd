// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/console.hpp"
#include "reproduce/find_program.hpp"
#include "reproduce/suite.hpp"

namespace numatch::cli {

/// A program of a suite that is there, built where that was needed.
struct found_program {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;
  std::string description;  ///< all that what it does depends on
};

/// Finds the programs of a suite, builds them, and makes what they read.
class program_source {
 public:
  /// `sources`: the user's directory, may be empty. `kept`: where what is built is kept. `build`:
  /// of numatch, whose wrappers are part of what is built.
  program_source(const reproduce::suite& of, const reproduce::suite_class& size,
                 std::filesystem::path sources, const std::filesystem::path& kept,
                 std::string build, console& terminal);

  /// Builds it where no earlier call did. Errors: it is not there, or could not be built; one line.
  result<found_program> find(const reproduce::suite_program& program) const;

  /// Whether it runs in a folder of its own: because it was found in a layout, or has input.
  static bool has_folder(const reproduce::suite_program& program);

  /// A new folder, with what the program reads in it, in which it is to run. Always the same one
  /// for the same program, so that paths are as long as before. The caller removes it.
  result<std::filesystem::path> make_input(const reproduce::suite_program& program) const;

 private:
  reproduce::places known_of(const reproduce::suite_program& program) const;
  result<std::filesystem::path> build(const reproduce::suite_program& program,
                                      const reproduce::suite_layout& layout,
                                      const reproduce::places& known) const;
  result<std::filesystem::path> program_file(const reproduce::suite_program& program,
                                             const reproduce::places& known) const;
  result<std::filesystem::path> archive(const reproduce::suite_program& program,
                                        const reproduce::places& known) const;

  const reproduce::suite& of_;
  const reproduce::suite_class& size_;
  std::filesystem::path sources_;
  std::filesystem::path kept_;
  std::string build_;
  console& terminal_;
};

}  // namespace numatch::cli
