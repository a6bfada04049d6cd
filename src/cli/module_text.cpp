// SPDX-License-Identifier: Apache-2.0
#include "cli/module_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace numatch::cli {

namespace {

using json = nlohmann::ordered_json;

std::string device_text(const live::module_state& state) {
  if (!state.info) {
    return fmt::format("device      cannot be used: {}\n", state.facts.trouble);
  }
  const numatch_info& info = *state.info;
  std::string text = fmt::format(
      "interface   version {}\n"
      "a session   {} views, {} threads, {} MiB of page tables, at most\n",
      info.abi, info.max_views, info.max_threads, info.max_table_pages / 256);
  text += fmt::format("processor   {} levels of page tables, page table isolation {}, PCID {}\n",
                      info.levels, (info.flags & NUMATCH_INFO_PTI) != 0 ? "on" : "off",
                      (info.flags & NUMATCH_INFO_PCID) != 0 ? "yes" : "no");
  text += fmt::format("flushing    {} at a change of views\n",
                      (info.flags & NUMATCH_INFO_PRECISE) != 0
                          ? "the tags of the process (precise_pcid=1)"
                          : "everything");
  return text;
}

std::string loaded_text(const live::module_state& state) {
  std::string text = fmt::format("module      loaded in Linux {}\n", state.release);
  text += device_text(state);
  const live::module_numbers& numbers = *state.numbers;
  text += fmt::format("used by     {}\n", numbers.users);
  const auto add = [&](const char* what, const std::optional<std::uint64_t>& count) {
    if (count) text += fmt::format("{:<12}{}\n", what, *count);
  };
  add("sessions", numbers.sessions);
  add("threads", numbers.threads);
  add("table pages", numbers.pages);
  return text;
}

std::string unloaded_text(const live::module_state& state) {
  std::string text = fmt::format("module      not loaded in Linux {}\n", state.release);
  text += fmt::format("installed   {}\n", state.installed.value_or("none for this kernel"));
  text += fmt::format("headers     {}\n",
                      state.facts.headers
                          ? fmt::format("/lib/modules/{}/build", state.release)
                          : fmt::format("none: apt-get install linux-headers-{}", state.release));
  return text;
}

json number_json(const std::optional<std::uint64_t>& number) {
  return number ? json(*number) : json();
}

json numbers_json(const std::optional<live::module_numbers>& numbers) {
  if (!numbers) return {};
  return {{"users", numbers->users},
          {"sessions", number_json(numbers->sessions)},
          {"threads", number_json(numbers->threads)},
          {"table_pages", number_json(numbers->pages)}};
}

json info_json(const std::optional<numatch_info>& info) {
  if (!info) return {};
  return {{"abi", info->abi},
          {"levels", info->levels},
          {"page_table_isolation", (info->flags & NUMATCH_INFO_PTI) != 0},
          {"pcid", (info->flags & NUMATCH_INFO_PCID) != 0},
          {"precise_pcid", (info->flags & NUMATCH_INFO_PRECISE) != 0},
          {"max_views", info->max_views},
          {"max_threads", info->max_threads},
          {"max_table_pages", info->max_table_pages}};
}

}  // namespace

std::string module_text(const live::module_state& state) {
  std::string text = state.numbers ? loaded_text(state) : unloaded_text(state);
  for (const std::string& why : state.refusals) text += fmt::format("refused     {}\n", why);
  return text;
}

std::string module_json(const live::module_state& state) {
  return json{{"release", state.release},
              {"loaded", state.facts.loaded},
              {"usable", state.facts.usable},
              {"trouble", state.facts.trouble},
              {"installed", state.installed ? json(*state.installed) : json()},
              {"headers", state.facts.headers},
              {"numbers", numbers_json(state.numbers)},
              {"interface", info_json(state.info)},
              {"refusals", state.refusals}}
             .dump(2) +
         "\n";
}

}  // namespace numatch::cli
