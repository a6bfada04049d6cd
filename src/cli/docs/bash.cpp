// SPDX-License-Identifier: Apache-2.0
#include "cli/docs/pages.hpp"

namespace numatch::cli {

namespace {

constexpr const char* head = R"(# SPDX-License-Identifier: Apache-2.0
# Completion of numatch for bash; generated from the command's own options.
_numatch() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=numatch words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      # What follows is a program with its arguments.
      if ((i == COMP_CWORD - 1)); then mapfile -t COMPREPLY < <(compgen -c -- "$current"); fi
      return
    fi
    case "$command ${COMP_WORDS[i]}" in
)";

constexpr const char* tail = R"(  esac
  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"); fi
}
complete -o default -F _numatch numatch
)";

/// The lines that follow the words to the command that they name.
std::string steps(const command_doc& documented) {
  std::string text;
  for (const command_doc& below : documented.commands) {
    text += fmt::format("      '{0}') command='{0}' ;;\n", below.name) + steps(below);
  }
  return text;
}

/// What may follow an option: one of its choices, or a file (bash's own completion).
std::string values(const command_doc& documented) {
  std::string text;
  for (const option_doc& option : documented.options) {
    if (option.value.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names) {
      pattern += (pattern.empty() ? "" : " | ") + fmt::format("'{} {}'", documented.name, name);
    }
    text += option.choices.empty()
                ? fmt::format("    {}) return ;;\n", pattern)
                : fmt::format(
                      "    {})\n      mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$current\")\n"
                      "      return ;;\n",
                      pattern, fmt::join(option.choices, " "));
  }
  for (const command_doc& below : documented.commands) text += values(below);
  return text;
}

/// The commands, options and closed lists of arguments that may stand at each command's words.
std::string words_of(const command_doc& documented) {
  std::string plain;
  std::string dashed;
  for (const command_doc& below : documented.commands) {
    plain += below.name.substr(documented.name.size() + 1) + " ";
  }
  for (const option_doc& argument : documented.arguments) {
    for (const std::string& choice : argument.choices) plain += choice + " ";
  }
  for (const option_doc& option : documented.options) dashed += option.names.back() + " ";
  std::string text =
      fmt::format("    '{}') if [[ $current == -* ]]; then words='{}'; else words='{}'; fi ;;\n",
                  documented.name, dashed, plain);
  for (const command_doc& below : documented.commands) text += words_of(below);
  return text;
}

}  // namespace

std::string bash_completion(const command_doc& program) {
  return head + steps(program) + "    esac\n  done\n  case \"$command $previous\" in\n" +
         values(program) + "  esac\n  case $command in\n" + words_of(program) + tail;
}

}  // namespace numatch::cli
