// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/suggest.hpp"
#include "cli/verb.hpp"

namespace numatch::cli {

namespace {

std::vector<const verb_entry*> verbs_in_order() {
  std::vector<const verb_entry*> verbs(all_verbs().begin(), all_verbs().end());
  std::stable_sort(verbs.begin(), verbs.end(),
                   [](const verb_entry* a, const verb_entry* b) { return a->order < b->order; });
  return verbs;
}

std::string examples_text(const verb_entry& verb) {
  std::string text = "Examples:\n";
  for (const example& shown : verb.examples) {
    text += fmt::format("  {}\n      {}\n", shown.command, shown.says);
  }
  return text;
}

/// One verb as a parser with the command that it fills.
struct attached_verb {
  const verb_entry* entry;
  CLI::App* parser;
  std::unique_ptr<command> work;
};

std::vector<attached_verb> attach_verbs(CLI::App& app) {
  std::vector<attached_verb> attached;
  for (const verb_entry* entry : verbs_in_order()) {
    CLI::App* parser = app.add_subcommand(std::string(entry->name), std::string(entry->summary));
    parser->footer(fmt::format("{}\n\n{}", entry->description, examples_text(*entry)));
    std::unique_ptr<command> work = entry->make();
    work->options(*parser);
    attached.push_back({entry, parser, std::move(work)});
  }
  return attached;
}

int unknown_verb(std::string_view word) {
  std::vector<std::string_view> names;
  for (const verb_entry* entry : verbs_in_order()) names.push_back(entry->name);
  console(false).problem({fmt::format("unknown command '{}'", word), "", suggest(word, names)});
  return trouble;
}

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App app("Finds out how the threads of a program share memory, and where they belong.",
               "numatch");
  app.set_version_flag("--version", "numatch " NUMATCH_VERSION);
  bool quiet = false;
  app.add_flag("-q,--quiet", quiet, "No progress line");
  std::vector<attached_verb> attached = attach_verbs(app);

  if (argc > 1 && argv[1][0] != '-') {
    const std::string_view word = argv[1];
    const bool known = std::any_of(attached.begin(), attached.end(),
                                   [&](const attached_verb& v) { return v.entry->name == word; });
    if (!known) return unknown_verb(word);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& wrong) {
    console(quiet).problem({wrong.what(), "", "see numatch --help"});
    return trouble;
  }
  console terminal(quiet);
  for (attached_verb& verb : attached) {
    if (!verb.parser->parsed()) continue;
    const result<int> code = verb.work->run(terminal);
    terminal.clear_progress();
    if (!code) {
      terminal.problem(code.error());
      return trouble;
    }
    if (std::fflush(stdout) != 0) {
      terminal.problem({"cannot write the result", "standard output", ""});
      return trouble;
    }
    return *code;
  }
  terminal.problem({"no command given", "", "see numatch --help"});
  return trouble;
}

}  // namespace numatch::cli
