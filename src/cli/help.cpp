// SPDX-License-Identifier: Apache-2.0
#include "cli/help.hpp"

namespace numatch::cli {

namespace {

constexpr std::size_t width = 80;
constexpr std::size_t column = 26;  // where descriptions start

std::string heading(std::string_view text, bool styled) {
  return styled ? fmt::format("\n\033[1m{}:\033[0m\n", text) : fmt::format("\n{}:\n", text);
}

std::string entry(const std::string& name, const std::string& says) {
  std::string text = "  " + name;
  if (text.size() + 2 > column) {
    text += "\n" + std::string(column, ' ');
  } else {
    text.resize(column, ' ');
  }
  return text + wrapped(says, column, width) + "\n";
}

std::string says_of(const option_doc& option) {
  std::string says = option.says;
  if (!option.choices.empty() && option.says.find(option.choices.front()) == std::string::npos) {
    says += ": " + fmt::format("{}", fmt::join(option.choices, ", "));
  }
  if (!option.default_value.empty()) says += " [" + option.default_value + "]";
  if (option.required && option.names.front().starts_with('-')) says += " (required)";
  return says;
}

std::string entries(std::string_view title, const std::vector<option_doc>& options, bool styled) {
  if (options.empty()) return "";
  std::string text = heading(title, styled);
  for (const option_doc& option : options) text += entry(heading_of(option), says_of(option));
  return text;
}

}  // namespace

std::string help_text(const command_doc& documented, bool styled) {
  std::string text =
      fmt::format("{}\n\nUsage: {}\n", wrapped(documented.summary, 0, width), usage_of(documented));
  for (const std::string& paragraph : documented.paragraphs) {
    text += "\n" + wrapped(paragraph, 0, width) + "\n";
  }
  if (!documented.commands.empty()) text += heading("Commands", styled);
  for (const command_doc& below : documented.commands) {
    text += entry(below.name.substr(documented.name.size() + 1), below.summary);
  }
  text += entries("Arguments", documented.arguments, styled);
  text += entries("Options", documented.options, styled);
  if (!documented.examples.empty()) text += heading("Examples", styled);
  for (const example& shown : documented.examples) {
    text +=
        fmt::format("  {}\n      {}\n", shown.command, wrapped(std::string(shown.says), 6, width));
  }
  return text;
}

}  // namespace numatch::cli
