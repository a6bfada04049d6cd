// SPDX-License-Identifier: Apache-2.0
#include "cli/documentation.hpp"

#include <algorithm>
#include <sstream>

namespace numatch::cli {

namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    const std::string part = text.substr(start, end - start);
    if (!part.empty()) parts.push_back(part);
    if (end == std::string::npos) return parts;
    start = end + separator.size();
  }
}

/// CLI11 writes a closed list of values into the type: "TEXT:{info,check}".
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> choices = split(type.substr(open + 1, close - open - 1), ",");
  for (std::string& choice : choices) choice = choice.substr(0, choice.find("->"));
  return choices;
}

std::string upper_case(std::string name) {
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

/// What stands for an option's value: the name that the verb gave, or one for the type.
std::string value_name(const std::string& type, const std::string& option) {
  if (type == "UINT" || type == "INT") return "N";
  if (type == "FLOAT") return "NUMBER";
  if (!type.empty() && type != "TEXT") return type;
  if (option.empty()) return "VALUE";
  return upper_case(option == "output" ? "file" : option);
}

option_doc document_option(const CLI::Option& option) {
  option_doc documented;
  const bool takes_value = option.get_items_expected_max() > 0;
  const std::string type = option.get_type_name();
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) documented.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) documented.names.push_back("--" + name);
    if (takes_value) {
      const std::vector<std::string>& names = option.get_lnames();
      documented.value =
          value_name(type.substr(0, type.find(':')), names.empty() ? "" : names.front());
    }
  } else {
    documented.names.push_back(upper_case(option.get_name(true, false)));
  }
  documented.says = option.get_description();
  documented.default_value = option.get_default_str();
  documented.choices = choices_of(type);
  documented.required = option.get_required();
  documented.repeats = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return documented;
}

}  // namespace

command_doc document(const std::string& name, const CLI::App& app, const verb_entry* verb) {
  command_doc documented;
  documented.name = name;
  documented.summary = app.get_description();
  if (verb != nullptr) {
    documented.paragraphs = split(std::string(verb->description), "\n\n");
    documented.examples.assign(verb->examples.begin(), verb->examples.end());
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() && !option->nonpositional() ? documented.arguments
                                                          : documented.options)
        .push_back(document_option(*option));
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (below->get_name().empty() || below->get_group().empty()) continue;
    documented.commands.push_back(document(name + " " + below->get_name(), *below, nullptr));
  }
  return documented;
}

bool is_program(const option_doc& argument) {
  return argument.names.front() == "CMD";
}

std::string usage_of(const command_doc& documented) {
  std::string usage = documented.name;
  if (!documented.options.empty()) usage += " [OPTION...]";
  const bool runs_program = std::ranges::any_of(documented.arguments, is_program);
  for (const option_doc& argument : documented.arguments) {
    if (is_program(argument)) {
      usage += documented.arguments.size() > 1 ? " | -- CMD...)" : " -- CMD...";
      continue;
    }
    const std::string shown = argument.names.front() + (argument.repeats ? "..." : "");
    if (runs_program) {
      usage += " (" + shown;  // a file or a program
    } else {
      usage += argument.required ? " " + shown : " [" + shown + "]";
    }
  }
  if (!documented.commands.empty()) {
    usage += documented.arguments.empty() ? " COMMAND" : " | COMMAND";
  }
  return usage;
}

std::string heading_of(const option_doc& option) {
  std::string heading;
  for (const std::string& name : option.names) heading += (heading.empty() ? "" : ", ") + name;
  if (!option.value.empty()) heading += " " + option.value;
  return heading;
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::size_t column = 0;
  for (std::string word; words >> word;) {
    if (column > 0 && indent + column + 1 + word.size() > width) {
      lines += "\n" + std::string(indent, ' ');
      column = 0;
    } else if (column > 0) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

}  // namespace numatch::cli
