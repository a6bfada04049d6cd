// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/suggest.hpp"
#include "cli/help.hpp"
#include "cli/parser.hpp"

namespace numatch::cli {

namespace {

/// "help VERB..." as what it stands for, "VERB... --help".
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (argc > 1 && words[1] == "help") {
    words.erase(words.begin() + 1);
    words.emplace_back("--help");
  }
  return words;
}

bool styled_output() {
  return ::isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

int flushed(console& terminal, int code) {
  if (std::fflush(stdout) == 0) return code;
  terminal.problem({"cannot write the result", "standard output", ""});
  return trouble;
}

}  // namespace

int run_program(int argc, char** argv) {
  std::vector<std::string> words = arguments_of(argc, argv);
  program_parser parser;
  console terminal(parser.quiet());
  if (words.size() > 1 && !words[1].starts_with('-') && !parser.knows_verb(words[1])) {
    terminal.problem({fmt::format("unknown command '{}'", words[1]), "",
                      suggest(words[1], parser.verb_names())});
    return trouble;
  }
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  try {
    parser.parse(static_cast<int>(pointers.size()), pointers.data());
  } catch (const CLI::CallForHelp&) {
    terminal.out(help_text(parser.documentation_of_parsed(), styled_output()));
    return flushed(terminal, fine);
  } catch (const CLI::Success& version) {
    terminal.out(std::string(version.what()) + "\n");
    return flushed(terminal, fine);
  } catch (const CLI::ParseError& wrong) {
    terminal.problem(parser.complaint(wrong));
    return trouble;
  }
  command* work = parser.work();
  if (work == nullptr) {
    terminal.problem({"no command given", "", "see numatch --help"});
    return trouble;
  }
  terminal = console(parser.quiet());
  const result<int> code = work->run(terminal);
  terminal.clear_progress();
  if (!code) {
    terminal.problem(code.error());
    return trouble;
  }
  return flushed(terminal, *code);
}

}  // namespace numatch::cli
