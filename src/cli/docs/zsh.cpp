// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/docs/pages.hpp"

namespace numatch::cli {

namespace {

/// Text inside an _arguments specification in single quotes.
std::string spec_text(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (c == '\'') {
      shown += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') shown += '\\';
      shown += c;
    }
  }
  return shown;
}

std::string function_name(const command_doc& documented) {
  std::string name = "_" + documented.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// "(auto qemu)" or "_files"
std::string action(const option_doc& option) {
  return option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
}

std::string option_spec(const option_doc& option) {
  const std::string value =
      option.value.empty() ? "" : fmt::format(":{}:{}", spec_text(option.value), action(option));
  std::string specs;
  for (const std::string& name : option.names) {
    specs += fmt::format("    '({}){}[{}]{}' \\\n", fmt::join(option.names, " "), name,
                         spec_text(option.says), value);
  }
  return specs;
}

std::string first_word(const command_doc& documented) {
  std::string entries;
  for (const command_doc& below : documented.commands) {
    entries += fmt::format("        '{}:{}'\n", below.name.substr(documented.name.size() + 1),
                           spec_text(below.summary));
  }
  return entries;
}

std::string function_of(const command_doc& documented) {
  std::string text = function_name(documented) + "() {\n";
  if (documented.commands.empty()) {
    text += "  _arguments -S \\\n";
    for (const option_doc& option : documented.options) text += option_spec(option);
    const bool listed = !documented.arguments.empty();
    const option_doc none;
    text += fmt::format("    '*:argument:{}'\n}}\n",
                        action(listed ? documented.arguments.front() : none));
    return text;
  }
  text += "  local context state line\n  typeset -A opt_args\n  _arguments -C -S \\\n";
  for (const option_doc& option : documented.options) text += option_spec(option);
  text += "    '1:command:->first' '*::argument:->rest'\n  case $state in\n    first)\n";
  text += "      local -a entries=(\n" + first_word(documented) + "      )\n";
  text += "      _describe command entries\n";
  if (!documented.arguments.empty()) text += "      _files\n";
  text += "      ;;\n    rest)\n      case $line[1] in\n";
  for (const command_doc& below : documented.commands) {
    text += fmt::format("        {}) {} ;;\n", below.name.substr(documented.name.size() + 1),
                        function_name(below));
  }
  text += "        *) _files ;;\n      esac\n      ;;\n  esac\n}\n";
  for (const command_doc& below : documented.commands) text += "\n" + function_of(below);
  return text;
}

}  // namespace

std::string zsh_completion(const command_doc& program) {
  return "#compdef numatch\n# SPDX-License-Identifier: Apache-2.0\n"
         "# Completion of numatch for zsh; generated from the command's own options.\n\n" +
         function_of(program) + "\n_numatch \"$@\"\n";
}

}  // namespace numatch::cli
