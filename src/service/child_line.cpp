// SPDX-License-Identifier: Apache-2.0
#include "service/child_line.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace numatch::service {

namespace {

using json = nlohmann::json;

std::string percent(const json& told, const char* field) {
  const auto found = told.find(field);
  if (found == told.end() || !found->is_number()) return "?";
  return fmt::format("{:.1f} %", 100 * found->get<double>());
}

std::uint64_t count(const json& told, const char* field) {
  const auto found = told.find(field);
  return found != told.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string sentence(const json& told) {
  const std::string what = told.value("what", "");
  const std::string amount =
      fmt::format("{} threads, {} pages", count(told, "threads"), count(told, "pages"));
  if (what == "moved" || what == "would move") {
    return fmt::format("{} {}: remote uses {} now (sampled), {} then (calculated)", what, amount,
                       percent(told, "remote_before"), percent(told, "remote_planned"));
  }
  if (what == "kept" || what == "took back") {
    return fmt::format("{} {}: remote uses {} before, {} after (sampled)", what, amount,
                       percent(told, "remote_before"), percent(told, "remote_after"));
  }
  return "";
}

}  // namespace

std::string shown_child_line(std::string_view line) {
  constexpr std::string_view own_name = "numatch: ";
  if (!line.starts_with('{')) {
    if (line.starts_with(own_name)) line.remove_prefix(own_name.size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return std::string(line);
  }
  const json told = json::parse(line, nullptr, false);
  if (!told.is_object()) return std::string(line);
  try {
    return sentence(told);
  } catch (const json::exception&) {
    return std::string(line);
  }
}

}  // namespace numatch::service
