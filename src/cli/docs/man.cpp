// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/docs/pages.hpp"

namespace numatch::cli {

namespace {

/// Text as roff shows it: no escapes, no requests, and every hyphen one that can be copied.
std::string roff(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\\') {
      shown += "\\e";
    } else if (c == '-') {
      shown += "\\-";
    } else {
      shown += c;
    }
  }
  if (!shown.empty() && (shown.front() == '.' || shown.front() == '\'')) shown.insert(0, "\\&");
  return shown;
}

std::string option_entry(const option_doc& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(name));
  }
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", roff(option.value));
  std::string text = fmt::format(".TP\n{}\n{}.\n", names, roff(option.says));
  if (!option.choices.empty()) {
    text += fmt::format("One of {}.\n", roff(fmt::format("{}", fmt::join(option.choices, ", "))));
  }
  if (!option.default_value.empty())
    text += fmt::format("Default: {}.\n", roff(option.default_value));
  return text;
}

std::string options_section(const char* title, const std::vector<option_doc>& options) {
  if (options.empty()) return "";
  std::string text = fmt::format(".SH {}\n", title);
  for (const option_doc& option : options) text += option_entry(option);
  return text;
}

std::string commands_section(const command_doc& documented) {
  if (documented.commands.empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const command_doc& below : documented.commands) {
    text += fmt::format(".TP\n.BR {} (1)\n{}.\n", roff(page_name(below)), roff(below.summary));
  }
  return text;
}

std::string examples_section(const command_doc& documented) {
  if (documented.examples.empty()) return "";
  std::string text = ".SH EXAMPLES\n";
  for (const example& shown : documented.examples) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(shown.command), roff(shown.says));
  }
  return text;
}

/// All before EXIT STATUS.
std::string body(const command_doc& documented) {
  std::string title = page_name(documented);
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"numatch {}\" \"numatch\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n"
      ".SH DESCRIPTION\n",
      roff(title), NUMATCH_VERSION, roff(page_name(documented)), roff(documented.summary),
      roff(usage_of(documented)));
  if (documented.paragraphs.empty()) text += roff(documented.summary) + "\n";
  for (const std::string& paragraph : documented.paragraphs)
    text += ".PP\n" + roff(paragraph) + "\n";
  return text + commands_section(documented) + options_section("ARGUMENTS", documented.arguments) +
         options_section("OPTIONS", documented.options) + examples_section(documented);
}

}  // namespace

std::string page_name(const command_doc& documented) {
  std::string name = documented.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const command_doc& documented, const command_doc* parent) {
  return body(documented) +
         ".SH EXIT STATUS\n"
         "0 when all went well, 1 when the answer is no, 2 on a wrong command line or when\n"
         "something needed is missing. A command that runs a program ends with the program's own\n"
         "exit status.\n.SH SEE ALSO\n" +
         (parent != nullptr ? fmt::format(".BR {} (1)\n", roff(page_name(*parent)))
                            : ".BR qemu\\-user (1),\n.BR numactl (8),\n.BR hwloc (7)\n");
}

std::string man_page(const wrapper_doc& documented) {
  return body(documented.command) + options_section("ENVIRONMENT", documented.environment) +
         ".SH EXIT STATUS\n"
         "That of the compiler; 2 when an option cannot be combined with numatch's\n"
         "instrumentation or when numatch's run\\-time is missing.\n" +
         fmt::format(".SH SEE ALSO\n.BR numatch\\-trace (1),\n.BR {} (1)\n",
                     roff(documented.compiler));
}

}  // namespace numatch::cli
