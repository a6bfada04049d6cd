// SPDX-License-Identifier: Apache-2.0
#include "service/merged_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "live/text_fields.hpp"

namespace numatch::service {

namespace {

struct family {
  std::string name;
  std::string head;
  std::string samples;
};

/// "NAME{a="b"} 1" with more labels; empty: the line is no sample.
std::string labelled(std::string_view line, std::string_view labels) {
  const std::size_t name_end = line.find_first_of("{ ");
  if (name_end == std::string_view::npos || name_end == 0) return "";
  const std::string_view name = line.substr(0, name_end);
  if (line[name_end] == ' ')
    return fmt::format("{}{{{}}}{}\n", name, labels, line.substr(name_end));
  return fmt::format("{}{{{},{}\n", name, labels, line.substr(name_end + 1));
}

family& family_of(std::vector<family>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const family& one) { return one.name == name; });
  if (found != all.end()) return *found;
  all.push_back({std::string(name), "", ""});
  return all.back();
}

void add(std::vector<family>& all, const labelled_metrics& program) {
  std::string_view text = program.text;
  family* now = nullptr;
  bool described = false;
  while (!text.empty()) {
    const std::string_view line = live::take_until(text, '\n');
    if (!line.starts_with('#')) {
      if (now != nullptr) now->samples += labelled(line, program.labels);
      continue;
    }
    std::string_view words = line;
    live::take_until(words, ' ');
    const std::string_view what = live::take_until(words, ' ');
    if (what == "TYPE") {
      now = &family_of(all, live::take_until(words, ' '));
      described = !now->head.empty();
    }
    if (now != nullptr && !described && what != "EOF") now->head += std::string(line) + "\n";
  }
}

}  // namespace

std::string escaped_label(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string merge_metrics(const std::vector<labelled_metrics>& programs) {
  std::vector<family> all;
  for (const labelled_metrics& program : programs) add(all, program);
  std::string text;
  for (const family& one : all) text += one.head + one.samples;
  return text;
}

}  // namespace numatch::service
