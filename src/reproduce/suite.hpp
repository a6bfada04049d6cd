// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "reproduce/quantity.hpp"

// A suite: programs, the sizes at which they are run, and what papers published about such
// programs. docs/reproduce.md explains the keys of its file.

namespace numatch::reproduce {

/// A program of a suite. {class}, {threads} and others (find_program.hpp) in its texts stand for
/// what is asked for.
struct suite_program {
  std::string name;
  std::string file;  ///< below the suite's folder of programs; empty: a layout of the suite has it
  std::string package;  ///< the Debian package that has it; may be empty
  std::vector<std::string> arguments;
  std::vector<std::string> arguments_from;   ///< a command that prints further ones, one on a line
  std::map<std::string, std::string> words;  ///< what its own {word} stand for
  std::map<std::string, std::string> size;   ///< what {size} stands for, by class
  std::string inputs;                        ///< an archive below the sources, unpacked before
  std::vector<std::string> prepare;          ///< a command that makes its input
  std::map<std::string, std::string> environment;
  unsigned threads = 8;
  bool region_of_interest = true;
};

/// How programs lie in a directory of the user's, and how they are built there.
struct suite_layout {
  std::string name;
  std::vector<std::string> has;    ///< paths that tell it; *, ? and [...] as in a shell
  std::string file;                ///< the program; the first that is there
  std::vector<std::string> build;  ///< a command in a copy; empty: nothing to build
  std::vector<std::string> copy;   ///< what it needs of the directory; empty: all
  std::map<std::string, std::string> defaults;  ///< files of the copy, and what to take for those
                                                ///< that are missing
};

/// A size of all programs, and what has to be smaller on the machine for it.
struct suite_class {
  std::string name;
  double time_scale = 1;              ///< of the mechanisms' intervals
  std::vector<std::string> settings;  ///< KEY=VALUE of the machine, as for `simulate --set`
  std::string note;                   ///< why; a whole sentence
};

/// What `over` says of a published figure that is of no single program.
inline constexpr std::string_view over_mean = "mean";
inline constexpr std::string_view over_best = "best";

struct published_figure {
  std::string mechanism;  ///< the title of a column
  quantity what = quantity::time;
  std::string over;    ///< over_mean, over_best, or a program
  double percent = 0;  ///< a change against the baseline, or a share
  std::string where;   ///< section and setting: "section V-A, simulated"
};

/// A column of a paper's tables that is no mechanism as it is.
struct suite_run {
  std::string name;                        ///< its title
  std::string mechanism;                   ///< empty: none
  std::string half;                        ///< "threads", "pages", or both where it is empty
  std::vector<std::string> parameters;     ///< NAME=VALUE of the mechanism
  std::vector<std::string> settings;       ///< KEY=VALUE of the machine, over those of the class
  std::optional<bool> region_of_interest;  ///< else as each program says
  /// Program to the one that is run instead; then only programs that are named have this run.
  std::map<std::string, std::string> instead;
};

/// The paper's runs again for each value of a key.
struct suite_sweep {
  std::string title;
  std::string key;  ///< of a machine description, or MECHANISM:PARAMETER
  std::vector<std::string> values;
  std::map<std::string, std::vector<std::string>> with;  ///< other keys: a value beside each value
  std::vector<std::string> classes;                      ///< only with these; empty: all
  std::vector<std::string> programs;                     ///< only of these; empty: the paper's
  std::vector<std::string> runs;                         ///< titles of columns
  std::vector<quantity> quantities;                      ///< one table and picture each
  std::string note;                                      ///< what the paper shows, and where
};

struct suite_paper {
  std::string name;
  std::string title;
  std::string machine;
  std::vector<std::string> programs;    ///< empty: all of the suite
  std::string against;                  ///< a program: it is the baseline of all others
  std::vector<std::string> mechanisms;  ///< in the order of the table
  std::vector<std::string> halves;      ///< which of them also with threads or pages alone
  std::vector<suite_run> runs;          ///< further columns
  std::vector<suite_class> classes;     ///< instead of the suite's of the same name
  std::vector<quantity> tables;         ///< one table each
  std::vector<std::string> sharing;     ///< detectors whose sharing matrices are shown
  std::string note;                     ///< how the paper's setting differs; may be empty
  std::vector<published_figure> figures;
  std::vector<suite_sweep> sweeps;
};

struct suite {
  std::string name;
  std::string summary;
  std::filesystem::path folder;  ///< of its file
  std::string sources;           ///< what the directory is that its layouts look at; empty: none
  std::vector<suite_layout> layouts;
  std::vector<suite_program> programs;
  std::vector<suite_class> classes;
  std::vector<suite_paper> papers;
};

/// Reads a suite file. Errors name file, line and key: TOML syntax, an unknown key or word (with
/// the nearest known one), a missing key, a value of the wrong kind.
result<suite> read_suite(const std::filesystem::path& file);

/// The file of a suite's name, looked for in the folders of $NUMATCH_SUITES (separated by ':'), in
/// share/numatch/suites beside the program's folder and under the prefix of the build, in the
/// source tree of the build. A text with a slash or ".toml" is the file itself.
result<std::filesystem::path> find_suite(const std::string& name);

/// Where a suite's programs lie: $NUMATCH_WORKLOADS, or workloads/ beside numatch.
std::filesystem::path programs_folder();

}  // namespace numatch::reproduce
