// SPDX-License-Identifier: Apache-2.0
#include "cli/parser.hpp"

#include <algorithm>

#include "base/suggest.hpp"

namespace numatch::cli {

namespace {

constexpr const char* program_name = "numatch";

std::vector<const verb_entry*> verbs_in_order() {
  std::vector<const verb_entry*> verbs(all_verbs().begin(), all_verbs().end());
  std::sort(verbs.begin(), verbs.end(), [](const verb_entry* a, const verb_entry* b) {
    return a->order != b->order ? a->order < b->order : a->name < b->name;
  });
  return verbs;
}

/// -q means the same before and after the verb's name.
void add_quiet(CLI::App& app, bool& quiet) {
  if (app.get_option_no_throw("--quiet") == nullptr && app.get_option_no_throw("-q") == nullptr) {
    app.add_flag("-q,--quiet", quiet, "Draw no progress line");
  }
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) {
    add_quiet(*below, quiet);
  }
}

/// The first word that looks like an option and that no parser wanted, or nothing.
std::string unknown_option(const CLI::App& app) {
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") break;
    if (word.size() > 1 && word.front() == '-') return word.substr(0, word.find('='));
  }
  return "";
}

}  // namespace

program_parser::program_parser()
    : app_(
          "Finds out how the threads of a program share memory, and where they and their pages "
          "belong on a NUMA machine.",
          program_name) {
  app_.set_help_flag("-h,--help", "Show this help");
  app_.set_version_flag("--version", "numatch " NUMATCH_VERSION);
  for (const verb_entry* entry : verbs_in_order()) {
    CLI::App* parser = app_.add_subcommand(std::string(entry->name), std::string(entry->summary));
    std::unique_ptr<command> work = entry->make();
    work->options(*parser);
    verbs_.push_back({entry, parser, std::move(work)});
  }
  add_quiet(app_, quiet_);
}

command* program_parser::work() const {
  for (const attached& verb : verbs_) {
    if (verb.parser->parsed()) return verb.work.get();
  }
  return nullptr;
}

bool program_parser::knows_verb(std::string_view word) const {
  return std::any_of(verbs_.begin(), verbs_.end(),
                     [&](const attached& verb) { return verb.entry->name == word; });
}

std::vector<std::string_view> program_parser::verb_names() const {
  std::vector<std::string_view> names;
  for (const attached& verb : verbs_) names.push_back(verb.entry->name);
  return names;
}

command_doc program_parser::documentation() const {
  command_doc documented = document(program_name, app_, nullptr);
  documented.commands.clear();
  for (const attached& verb : verbs_) {
    documented.commands.push_back(document(
        std::string(program_name) + " " + verb.parser->get_name(), *verb.parser, verb.entry));
  }
  return documented;
}

command_doc program_parser::documentation_of_parsed() const {
  command_doc documented = documentation();
  const CLI::App* app = &app_;
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const CLI::App* below : app->get_subcommands([](const CLI::App*) { return true; })) {
      if (!below->parsed()) continue;
      const std::string name = documented.name + " " + below->get_name();
      const auto found = std::find_if(documented.commands.begin(), documented.commands.end(),
                                      [&](const command_doc& c) { return c.name == name; });
      if (found == documented.commands.end()) return documented;
      documented = command_doc(*found);
      app = below;
      deeper = true;
      break;
    }
  }
  return documented;
}

error program_parser::complaint(const CLI::ParseError& wrong) const {
  const command_doc place = documentation_of_parsed();
  const std::string where = place.name == program_name
                                ? ""
                                : place.name.substr(std::string_view(program_name).size() + 1);
  const std::string see = "see " + place.name + " --help";
  const std::string word = unknown_option(app_);
  if (word.empty()) {
    std::string what = wrong.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    return {what, where, see};
  }
  std::vector<std::string_view> known;
  for (const option_doc& option : place.options) {
    for (const std::string& name : option.names) known.push_back(name);
  }
  const std::string what = fmt::format("unknown option '{}'", word);
  // Two letters are near to any other two.
  const std::string nearest = word.size() > 2 ? nearest_name(word, known) : "";
  if (!nearest.empty()) return {what, where, fmt::format("did you mean '{}'?", nearest)};
  const bool runs_a_program =
      std::any_of(place.arguments.begin(), place.arguments.end(), is_program);
  return {what, where, runs_a_program ? "an option of the program goes behind --; " + see : see};
}

}  // namespace numatch::cli
